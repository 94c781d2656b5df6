//===- SizeRuns.h - A plan simulated for several sizes ----------*- C++ -*-===//
//
// What ccl-sim does with every size: it is proved safe, simulated, and its data are
// compared. Sizes do not depend on each other, so several may run at a time; what
// comes out is the same.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_DRIVER_SIZERUNS_H
#define CCL_LIB_DRIVER_SIZERUNS_H

#include "Output.h"

#include "cclc/Sim/DataExecutor.h"
#include "cclc/Sim/Report.h"

#include <variant>

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
  unsigned jobs = 1;
};

struct SizeRuns {
  std::vector<SizeReport> rows; ///< of the sizes that are safe
  std::vector<Cost> costs;      ///< of the last of them, if its critical path was recorded
  /// False where a size was not safe, or its data wrong, which was reported.
  bool allRight = true;
};

/// Simulates \p sizes, or says with which code to end.
std::variant<SizeRuns, ExitCode> runSizes(const SizeRunRequest &request, ArrayRef<uint64_t> sizes,
                                          Progress &progress, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_DRIVER_SIZERUNS_H
