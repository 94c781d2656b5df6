#include "cclc/Sim/MachineProof.h"

#include "cclc/Limits/PlanCheck.h"
#include "cclc/Symmetry/Rolled/VerifyRolled.h"

using namespace cclc;

/// Adds the limits of \p machine to \p proof.
static PlanProof withLimits(PlanProof proof, const Machine &machine, const ExecPlan &plan,
                            Slots slots, DiagnosticEngine &diags) {
  if (failed(checkPlan(plan, machine, slots, diags, proof.slotsNeeded)))
    proof.verdict = std::max(proof.verdict, Verdict::Illegal);
  if (proof.verdict != Verdict::Ok)
    (void)diags.fail(failureOf(proof.verdict));
  return proof;
}

PlanProof cclc::provePlanOn(const Machine &machine, const ExecPlan &plan, Slots slots,
                            DiagnosticEngine &diags, ReductionHash wanted) {
  return withLimits(verifyPlan(plan, slots, diags, wanted), machine, plan, slots, diags);
}

PlanProof cclc::provePlan(const PlacedPlan &placed, DiagnosticEngine &diags) {
  return provePlanOn(placed.machine, placed.plan, placed.slots, diags, ReductionHash::Omit);
}

PlanProof cclc::provePlan(const PlacedPlan &placed, const RolledPlan &rolled,
                          DiagnosticEngine &diags) {
  // The counter-example of a rolled plan has the numbers of folded ranks.
  DiagnosticEngine ofFewRanks;
  PlanProof proof = verifyRolled(rolled, placed.slots, ofFewRanks);
  if (proof.verdict != Verdict::Ok)
    return provePlan(placed, diags);
  return withLimits(std::move(proof), placed.machine, placed.plan, placed.slots, diags);
}
