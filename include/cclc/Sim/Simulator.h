//===- Simulator.h - A plan on a machine, simulated for sizes ---*- C++ -*-===//
//
// The one way from a plan and a size to its time: a size is proved, simulated on the network model,
// and its data are compared; its result has the lower bound of the collective and the costs on the
// critical path. Plans of steps and of MSCCL++ (Mscclpp/Simulator.h) are simulated alike.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_SIMULATOR_H
#define CCL_SIM_SIMULATOR_H

#include "cclc/Sim/Data/Reduce.h"
#include "cclc/Sim/PlanBound.h"
#include "cclc/Sim/SizeVerifier.h"
#include "cclc/Sim/SweepResult.h"
#include "cclc/Symmetry/Rolled/RolledForm.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace cclc {

/// How a plan is simulated, with all sizes.
struct SimulatorSettings {
  std::string network;
  ReduceOp op = ReduceOp::Sum;
  SimOptions options = {}; ///< without listeners
  /// Whether real data are moved, and the outputs compared under every placement of the plan, if
  /// its collective has a post-condition.
  bool checkData = false;
  std::optional<uint64_t> seed = {}; ///< of random data; those of steps only
  /// The number of executions above which no critical path is recorded.
  uint64_t mostRecorded = ~uint64_t(0);
  /// Of the lower bounds of results; unset: they have none.
  std::optional<BoundEffort> bounds = {};
  Location where = {}; ///< of messages about a run
};

/// The result of a size.
struct SizeRun {
  SizeResult row;
  std::vector<Cost> costs = {}; ///< of the critical path, if requested
};

/// Refers to the plan that it simulates.
class Simulator {
public:
  virtual ~Simulator() = default;

  const PlanOnMachine &plan() const { return onMachine; }
  /// Fails if \p bytes do not fit into the memories of the machine or the range of the plan, or
  /// could deadlock. Proofs are kept for further sizes.
  virtual FailureOr<Sizing> prove(Bytes bytes, DataType type, DiagnosticEngine &diags) = 0;
  /// Only simulates a size that was proved.
  virtual SimResult simulate(const Sizing &sizing, const SimOptions &options) const = 0;

  struct Hooks {
    using Simulate = llvm::function_ref<SimResult(SimListener *)>;
    /// Calls its argument with a further listener, or null; unset: that. Fails if what the listener
    /// writes cannot be written.
    std::function<FailureOr<SimResult>(Simulate)> listen = {};
    std::function<void(const std::string &)> onStage = {};
  };
  /// The result of a size that was proved. With \p details, the costs on the critical path are
  /// found as well, unless there are too many steps or the plan is of MSCCL++. Reports wrong data,
  /// which are no failure.
  FailureOr<SizeRun> run(const Sizing &sizing, bool details, const Hooks &hooks,
                         DiagnosticEngine &diags) const;
  /// Proves a size, and returns its result.
  FailureOr<SizeResult> at(Bytes bytes, DataType type, DiagnosticEngine &diags);

  /// Of all runs of a size.
  uint64_t executions(const Sizing &sizing) const;
  /// Unset if nothing limits the collective, or results have no bounds.
  std::optional<SizeBound> boundOf(const Sizing &sizing) const {
    return bounds ? bounds->of(sizing) : std::nullopt;
  }
  const SimulatorSettings &settings() const { return how; }

protected:
  Simulator(const PlanOnMachine &plan, SimulatorSettings settings);

  bool checksData() const;
  /// Simulates a size with \p options. If data are checked, sets \p right and reports wrong ones.
  virtual FailureOr<SimResult> simulateChecked(const Sizing &sizing, SimOptions options,
                                               const Hooks &hooks, std::optional<bool> &right,
                                               DiagnosticEngine &diags) const = 0;
  /// Calls \p simulate with \p options and the further listener of \p hooks.
  FailureOr<SimResult> listen(const Hooks &hooks, SimOptions options,
                              llvm::function_ref<SimResult(const SimOptions &)> simulate) const;
  /// Reports a plan that does not complete, or whose time is beyond the clock.
  LogicalResult check(const Sizing &sizing, const SimResult &result, DiagnosticEngine &diags) const;

  SimulatorSettings how;

private:
  const PlanOnMachine &onMachine;
  std::optional<PlanBound> bounds;
};

/// \p slotsNeeded is that of the proof of the plan. With its rolled \p form, runs that no single
/// ranks are observed in are simulated on few ranks, if that gives the same results
/// (Sim/FoldedPlan.h).
std::unique_ptr<Simulator> createSimulator(const PlacedPlan &plan,
                                           std::optional<uint32_t> slotsNeeded,
                                           SimulatorSettings settings,
                                           const RolledForm *form = nullptr);
/// For a plan that was scheduled for its slots.
std::unique_ptr<Simulator> createSimulatorOfScheduled(const PlacedPlan &plan,
                                                      SimulatorSettings settings);

} // namespace cclc

#endif // CCL_SIM_SIMULATOR_H
