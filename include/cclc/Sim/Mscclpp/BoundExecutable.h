//===- BoundExecutable.h - A plan of either kind on a machine ---*- C++ -*-===//

#ifndef CCL_SIM_MSCCLPP_BOUNDEXECUTABLE_H
#define CCL_SIM_MSCCLPP_BOUNDEXECUTABLE_H

#include "cclc/Sim/Mscclpp/BoundPlan.h"
#include "cclc/Sim/Simulator.h"

namespace cclc {

/// Refers to plan and machine.
class BoundExecutable {
public:
  /// \p slots are those of a plan of steps.
  static FailureOr<BoundExecutable> create(const std::variant<ExecPlan, mscclpp::Plan> &plan,
                                           const Machine &machine, Slots slots,
                                           DiagnosticEngine &diags);
  const PlanOnMachine &get() const {
    return std::visit([](const auto &plan) -> const PlanOnMachine & { return plan; }, bound);
  }
  /// Null: a plan of steps.
  const mscclpp::BoundPlan *operations() const { return std::get_if<mscclpp::BoundPlan>(&bound); }
  /// Null, and a failure of the kind of the verdict, if the plan is wrong. Refers to this.
  std::unique_ptr<Simulator> prove(SimulatorSettings settings, DiagnosticEngine &diags) const;

private:
  template <class Plan> explicit BoundExecutable(Plan plan) : bound(std::move(plan)) {}

  std::variant<BoundPlan, mscclpp::BoundPlan> bound;
};

} // namespace cclc

#endif // CCL_SIM_MSCCLPP_BOUNDEXECUTABLE_H
