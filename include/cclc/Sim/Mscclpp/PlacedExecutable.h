//===- PlacedExecutable.h - A plan of either kind on a machine --*- C++ -*-===//

#ifndef CCL_SIM_MSCCLPP_PLACEDEXECUTABLE_H
#define CCL_SIM_MSCCLPP_PLACEDEXECUTABLE_H

#include "cclc/Sim/Mscclpp/PlacedPlan.h"
#include "cclc/Sim/Simulator.h"

namespace cclc {

/// Refers to plan and machine.
class PlacedExecutable {
public:
  /// \p slots are those of a plan of steps.
  static FailureOr<PlacedExecutable> create(const std::variant<ExecPlan, mscclpp::Plan> &plan,
                                            const Machine &machine, Slots slots,
                                            DiagnosticEngine &diags);
  const PlanOnMachine &get() const {
    return std::visit([](const auto &plan) -> const PlanOnMachine & { return plan; }, placed);
  }
  /// Null: a plan of steps.
  const mscclpp::PlacedPlan *operations() const {
    return std::get_if<mscclpp::PlacedPlan>(&placed);
  }
  /// Null, and a failure of the kind of the verdict, if the plan is wrong. Refers to this.
  std::unique_ptr<Simulator> prove(SimulatorSettings settings, DiagnosticEngine &diags) const;

private:
  template <class Plan> explicit PlacedExecutable(Plan plan) : placed(std::move(plan)) {}

  std::variant<PlacedPlan, mscclpp::PlacedPlan> placed;
};

} // namespace cclc

#endif // CCL_SIM_MSCCLPP_PLACEDEXECUTABLE_H
