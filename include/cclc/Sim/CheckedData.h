//===- CheckedData.h - The data of a run and what is expected ---*- C++ -*-===//
//
// Exact data are compared with the definition of the collective, random data with a replay of the
// plan's own order of operations.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_CHECKEDDATA_H
#define CCL_SIM_CHECKEDDATA_H

#include "cclc/Sim/Data/Replay.h"
#include "cclc/Sim/DataExecutor.h"

#include <memory>

namespace cclc {

/// The data of the runs of one placement, and the expected data.
struct CheckedData {
  CheckedData(const PlacedPlan &placed, const Sizing &sizing, ReduceOp op, Placement placement,
              std::optional<uint64_t> seed);
  CheckedData(const CheckedData &) = delete;

  DataExecutor executor;
  std::optional<Replay> replay;
};

/// Checks the data of one size under every placement of the plan: those of the first placement in
/// the run that is timed, those of each further one in a run of its own.
class PlacementCheck {
public:
  PlacementCheck(const PlacedPlan &placed, const Sizing &sizing, ReduceOp op,
                 std::optional<uint64_t> seed);

  /// For the run that is timed.
  SimListener &listener() { return data->executor; }
  /// To be called once after this run: makes the others in the same way, with \p options, which
  /// has no listeners. Reports the first wrong element of each placement, and whether there is
  /// none.
  bool check(StringRef network, const SimOptions &options, DiagnosticEngine &diags);

private:
  void begin(Placement placement);

  const PlacedPlan &placed;
  const Sizing &sizing;
  ReduceOp op;
  std::optional<uint64_t> seed;
  SmallVector<Placement, 2> placements;
  std::unique_ptr<CheckedData> data; ///< of the current placement
};

} // namespace cclc

#endif // CCL_SIM_CHECKEDDATA_H
