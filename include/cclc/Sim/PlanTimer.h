//===- PlanTimer.h - The time of a plan with any size -----------*- C++ -*-===//

#ifndef CCL_SIM_PLANTIMER_H
#define CCL_SIM_PLANTIMER_H

#include "cclc/Sim/SizeSimulation.h"

#include <memory>

namespace cclc {

/// Times one plan on one machine. Every size is proved before it is simulated; proofs are kept for
/// further sizes.
class PlanTimer {
public:
  /// \p slotsNeeded is that of the proof of the plan.
  PlanTimer(BoundPlan bound, std::optional<uint32_t> slotsNeeded)
      : onMachine(std::make_unique<const BoundPlan>(std::move(bound))),
        verifier(std::make_unique<SizeVerifier>(*onMachine, slotsNeeded)) {}
  /// For a plan that was scheduled for its slots.
  static PlanTimer ofScheduled(BoundPlan bound) {
    const Slots slots = bound.slots;
    return PlanTimer(std::move(bound), slots.isUnlimited() ? 1 : slots.limit());
  }

  const BoundPlan &bound() const { return *onMachine; }

  /// Fails if \p bytes do not fit into the memories of the machine, or could deadlock.
  FailureOr<Sizing> prove(Bytes bytes, DataType type, DiagnosticEngine &diags) {
    return proveSize(*onMachine, *verifier, bytes, type, diags);
  }
  /// Fails as well if the size takes longer than the clock counts.
  FailureOr<SizedRun> run(StringRef network, Bytes bytes, DataType type, const SimOptions &options,
                          DiagnosticEngine &diags);

private:
  std::unique_ptr<const BoundPlan> onMachine;
  std::unique_ptr<SizeVerifier> verifier; ///< refers to it
};

} // namespace cclc

#endif // CCL_SIM_PLANTIMER_H
