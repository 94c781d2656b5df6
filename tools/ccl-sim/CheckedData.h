//===- CheckedData.h - The data of a run and what is expected ---*- C++ -*-===//
//
// Exact data are compared with the definition of the collective, random data with a replay of the
// plan's own order of operations.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_SIM_CHECKEDDATA_H
#define CCL_TOOLS_CCL_SIM_CHECKEDDATA_H

#include "cclc/Data/Replay.h"
#include "cclc/Sim/DataExecutor.h"

namespace cclc {

/// The data of the runs of one placement, and the expected data.
struct CheckedData {
  CheckedData(const BoundPlan &bound, const Sizing &sizing, ReduceOp op, Placement placement,
              std::optional<uint64_t> seed);
  CheckedData(const CheckedData &) = delete;

  DataExecutor executor;
  std::optional<Replay> replay;
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_CHECKEDDATA_H
