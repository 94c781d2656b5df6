//===- PlanMeasurement.h - The execution of one plan for several sizes *- C++ -*-===//

#ifndef CCL_TOOLS_CCL_RUN_PLANMEASUREMENT_H
#define CCL_TOOLS_CCL_RUN_PLANMEASUREMENT_H

#include "Measurement.h"
#include "Prediction.h"
#include "RunArguments.h"

#include "cclc/Run/Group.h"

namespace cclc {

/// Executes a plan that has been proved, or is run at the user's risk.
class PlanMeasurement {
public:
  PlanMeasurement(const ExecPlan &plan, const RunArguments &args, run::Group &group, uint32_t slots,
                  std::optional<Prediction> prediction, Progress &progress,
                  DiagnosticEngine &diags);

  /// The results so far; rows are printed as they are made.
  const MeasuredPlan &results() const { return result; }
  /// Calls \p onSize with the results after each size. Wrong data end with ExitCode::Wrong after
  /// all sizes.
  ExitCode run(llvm::function_ref<void(const MeasuredPlan &)> onSize);

private:
  FailureOr<MeasuredSize> measure(uint64_t bytes);
  FailureOr<bool> check(const run::PreparedPlan &plan, Placement placement, Bytes bytes,
                        std::optional<uint64_t> seed);
  /// Executes once more, and writes the timeline.
  LogicalResult trace(const run::PreparedPlan &plan, Bytes bytes);
  bool leads() const { return group.leads(); }
  bool prints() const { return leads() && args.json != "-" && args.trace != "-"; }

  const ExecPlan &plan;
  const RunArguments &args;
  run::Group &group;
  std::optional<Prediction> prediction;
  Progress &progress;
  DiagnosticEngine &diags;
  const run::RunOptions options;
  MeasuredPlan result;
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_RUN_PLANMEASUREMENT_H
