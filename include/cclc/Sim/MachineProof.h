//===- MachineProof.h - The proof of a plan for its machine -----*- C++ -*-===//

#ifndef CCL_SIM_MACHINEPROOF_H
#define CCL_SIM_MACHINEPROOF_H

#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Sim/PlacedPlan.h"
#include "cclc/Symmetry/Rolled/RolledPlan.h"

namespace cclc {

/// Proves \p plan with \p slots slots per connection, and compares it with the limits of
/// \p machine: the verdict of a right plan that exceeds one is Illegal. Reports all errors.
PlanProof provePlanOn(const Machine &machine, const ExecPlan &plan, Slots slots,
                      DiagnosticEngine &diags, ReductionHash wanted = ReductionHash::Compute);
/// The same for a plan on its machine, without its reduction hash.
PlanProof provePlan(const PlacedPlan &placed, DiagnosticEngine &diags);
/// The same for \p rolled on all its ranks, from the proof of the rolled plan if that decides.
PlanProof provePlan(const PlacedPlan &placed, const RolledPlan &rolled, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SIM_MACHINEPROOF_H
