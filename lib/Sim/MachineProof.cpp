#include "cclc/Sim/MachineProof.h"

#include "cclc/Limits/PlanCheck.h"

using namespace cclc;

PlanProof cclc::provePlanOn(const Machine &machine, const ExecPlan &plan, Slots slots,
                            DiagnosticEngine &diags, ReductionHash wanted) {
  PlanProof proof = verifyPlan(plan, slots, diags, wanted);
  if (failed(checkPlan(plan, machine, slots, diags, proof.slotsNeeded)))
    proof.verdict = std::max(proof.verdict, Verdict::Illegal);
  if (proof.verdict != Verdict::Ok)
    (void)diags.fail(failureOf(proof.verdict));
  return proof;
}

PlanProof cclc::provePlan(const PlacedPlan &placed, DiagnosticEngine &diags) {
  return provePlanOn(placed.machine, placed.plan, placed.slots, diags, ReductionHash::Omit);
}
