#include "cclc/Semantics/PlanVerifier.h"

#include "cclc/Semantics/Deadlock.h"
#include "cclc/Semantics/Gates.h"
#include "cclc/Semantics/PlanExecution.h"
#include "cclc/Semantics/Races.h"
#include "cclc/Support/MemoryBudget.h"

#include <array>

using namespace cclc;

StringRef cclc::verdictName(Verdict verdict) {
  constexpr std::array<StringRef, 7> names = {"ok",      "wrong-result", "race",     "deadlock",
                                              "illegal", "unsupported",  "malformed"};
  return names[static_cast<size_t>(verdict)];
}

PlanProof cclc::verifyPlan(const ExecPlan &plan, Slots slots, DiagnosticEngine &diags,
                           ReductionHash wanted) {
  MemoryBudget::Work work("the proof of the plan");
  ConnectionTable connections(plan);
  PlanRunner runner(plan, connections);
  PlanProof report;
  report.slotsNeeded = slotsNeeded(runner);
  bool completes =
      report.slotsNeeded && (slots.isUnlimited() || slots.limit() >= *report.slotsNeeded);
  if (!completes) {
    reportDeadlock(plan, *findDeadlock(plan, runner, slots), slots, diags);
    report.verdict = Verdict::Deadlock;
    return report;
  }
  // Violations of gates block the plan: a rank cannot enter the gate, and a message cannot change
  // its generation.
  if (failed(checkGates(plan, connections, diags))) {
    report.verdict = Verdict::Deadlock;
    return report;
  }
  if (std::optional<Race> race = findRace(plan, connections, runner)) {
    reportRace(plan, *race, diags);
    report.verdict = Verdict::Race;
    return report;
  }
  uint64_t hash = 0;
  for (Placement placement : plan.info().placements.list()) {
    PlanExecution execution(plan, connections, runner, placement);
    if (wanted == ReductionHash::Compute)
      hash = hash * 31 + execution.reductionHash();
    if (failed(execution.checkPostCondition(diags))) {
      report.verdict = Verdict::WrongResult;
      break;
    }
  }
  if (wanted == ReductionHash::Compute)
    report.reductionHash = hash;
  if (!plan.info().collective.hasPostCondition())
    report.note = "the collective has no post-condition: the result was not checked";
  return report;
}
