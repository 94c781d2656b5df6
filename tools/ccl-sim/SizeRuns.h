//===- SizeRuns.h - A plan simulated for several sizes ----------*- C++ -*-===//
//
// What ccl-sim does with every size: it is proved safe, simulated, and its data are
// compared. Sizes do not depend on each other, so several may run at a time; what
// comes out is the same, in the same order.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_SIM_SIZERUNS_H
#define CCL_TOOLS_CCL_SIM_SIZERUNS_H

#include "GrowingReport.h"

#include "cclc/Sim/DataExecutor.h"

namespace cclc {

struct SizeRunRequest {
  const BoundPlan &bound;
  std::string network;
  std::optional<uint32_t> slotsNeeded; ///< of the plan as it stands
  DataType type = DataType::F32;
  ReduceOp op = ReduceOp::Sum;
  SimOptions options; ///< without listeners
  bool checkData = false;
  std::optional<uint64_t> seed; ///< of random data
  /// Files for a GOAL schedule and a trace of the only size.
  std::optional<std::string> goal, trace;
  RunConditions conditions; ///< that the trace states
  unsigned jobs = 1;
};

/// Simulates \p sizes, each of which \p report gets once those before it are done. The code is
/// Success; Wrong where a size was not safe, or its data wrong, which was reported; or another one
/// to end with.
ExitCode runSizes(const SizeRunRequest &request, ArrayRef<uint64_t> sizes, GrowingReport &report,
                  Progress &progress, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_SIZERUNS_H
