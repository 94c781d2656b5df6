//===- SizeRun.h - A plan simulated with one size ---------------*- C++ -*-===//

#ifndef CCL_SIM_SIZERUN_H
#define CCL_SIM_SIZERUN_H

#include "cclc/Sim/PlanBound.h"
#include "cclc/Sim/SweepResult.h"

namespace cclc {

/// How a plan is simulated, with all sizes.
struct SizeRunSettings {
  const BoundPlan &bound;
  std::string network;
  ReduceOp op = ReduceOp::Sum;
  SimOptions options; ///< without listeners
  /// Whether real data are moved, and the outputs compared under every placement of the plan.
  bool checkData = false;
  std::optional<uint64_t> seed; ///< of random data
  /// Of the lower bounds of results; unset: they have none.
  std::optional<BoundEffort> bounds = BoundEffort::Limited;
};

struct SizeRun {
  SizeResult row;
  std::vector<Cost> costs = {}; ///< of the critical path, if requested
};

class SizeRunner {
public:
  explicit SizeRunner(SizeRunSettings settings);

  /// Of all runs of a size.
  uint64_t executions(const Sizing &sizing) const;
  bool checksData() const;

  struct Hooks {
    /// In the place of simulate(); unset: that.
    std::function<FailureOr<SimResult>(NetworkModel &, const SimOptions &)> simulate = {};
    std::function<void(const std::string &)> onStage = {};
  };
  /// Simulates a size that was proved. With \p details, the costs on the critical path are found as
  /// well, unless there are too many steps. Reports wrong data, which are no failure.
  FailureOr<SizeRun> run(const Sizing &sizing, bool details, const Hooks &hooks,
                         DiagnosticEngine &diags) const;

private:
  /// Reports a plan that does not complete, or whose time is beyond the clock.
  LogicalResult check(const Sizing &sizing, const SimResult &result, DiagnosticEngine &diags) const;

  SizeRunSettings settings;
  std::optional<PlanBound> bounds;
};

} // namespace cclc

#endif // CCL_SIM_SIZERUN_H
