//===- VerifyRolled.cpp - The parts of the proof --------------------------===//
//
// The proof of VerifyRolled.h, on the smallest folded plan in which the peers of a rank differ. The
// parts are in the order of the proof of plans (Proof/PlanVerifier.h), and give the same
// verdicts as that proof of the unrolled plan, except where the order of accesses is not decided.
//
//===----------------------------------------------------------------------===//

#include "cclc/Symmetry/Rolled/VerifyRolled.h"

#include "RolledRun.h"

#include "cclc/IR/Verifier.h"
#include "cclc/Proof/Deadlock.h"
#include "cclc/Proof/Races.h"
#include "cclc/Support/MemoryBudget.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;

/// The proof, with a verdict of failure.
static PlanProof failedWith(PlanProof proof, Verdict verdict) {
  proof.verdict = verdict;
  return proof;
}

PlanProof cclc::verifyRolled(const RolledPlan &plan, Slots slots, DiagnosticEngine &diags) {
  MemoryBudget::Work work("the proof of the plan");
  PlanProof proof;
  std::string fault = plan.group.findFault(plan.info.collective);
  if (fault.empty())
    fault = findAsymmetry(plan.info.collective, plan.group);
  if (fault.empty() && !plan.info.communicators.empty())
    fault = "communicators have numbers of ranks";
  if (fault.empty() && !keepsOrder(plan))
    fault = "a step has chunks that are not renumbered together";
  if (!fault.empty()) {
    diags.error({}, "the rolled plan is not symmetric: " + fault);
    return failedWith(proof, Verdict::Malformed);
  }
  FailureOr<ExecPlan> folded = failure();
  // The folded plan has no tables with numbers of ranks.
  if (succeeded(verifyTables(plan.info, Generations::Allocated, {}, diags)))
    folded = fold(plan, foldedRanks(plan), diags);
  if (failed(folded))
    return failedWith(proof, Verdict::Malformed);
  ConnectionTable connections(*folded);
  PlanControlFlow runner(*folded, connections);
  proof.slotsNeeded = slotsNeeded(runner);
  if (!proof.slotsNeeded || (!slots.isUnlimited() && slots.limit() < *proof.slotsNeeded)) {
    reportDeadlock(*folded, *findDeadlock(*folded, runner, slots), slots, diags);
    return failedWith(proof, Verdict::Deadlock);
  }
  if (std::optional<Race> race = findLocallyUnordered(*folded, runner)) {
    diags.error(folded->info().locate(folded->steps()[race->later.index()].loc),
                "accesses of the rolled plan are ordered through other ranks at most, which is "
                "decided on the unrolled plan only");
    return failedWith(proof, Verdict::Unsupported);
  }
  for (Placement placement : plan.info.placements.list())
    if (failed(RolledRun(plan, *folded, connections, runner, placement).checkPostCondition(diags)))
      return failedWith(proof, Verdict::WrongResult);
  return proof;
}
