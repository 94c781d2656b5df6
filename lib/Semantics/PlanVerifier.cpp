//===- PlanVerifier.cpp - The parts of the proof in order -----------------===//
//
// Each part assumes that those before it hold: the run that computes the values is one of a plan
// without deadlocks and races. The result is computed with joined ranges (SymbolicMemory.h), whose
// cells have no writers; only a wrong result is computed a second time, for its message.
//
//===----------------------------------------------------------------------===//

#include "cclc/Semantics/PlanVerifier.h"

#include "cclc/Semantics/Deadlock.h"
#include "cclc/Semantics/Gates.h"
#include "cclc/Semantics/PlanExecution.h"
#include "cclc/Semantics/Races.h"
#include "cclc/Support/MemoryBudget.h"

#include <array>

using namespace cclc;

/// Part 4 of the proof and, if \p hash is given, part 5, under one placement.
static LogicalResult checkResult(const ExecPlan &plan, const ConnectionTable &connections,
                                 PlanRunner &runner, Placement placement,
                                 std::optional<uint64_t> &hash, DiagnosticEngine &diags) {
  for (Ranges ranges : {Ranges::Joined, Ranges::Separate}) {
    bool last = ranges == Ranges::Separate;
    DiagnosticEngine ignored;
    PlanExecution execution(plan, connections, runner, placement, ranges);
    if (!last &&
        (!execution.memory().hasDistinctIds() || failed(execution.checkPostCondition(ignored))))
      continue;
    if (hash)
      *hash = *hash * 31 + execution.reductionHash();
    return last ? execution.checkPostCondition(diags) : success();
  }
  return failure();
}

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
  if (wanted == ReductionHash::Compute)
    report.reductionHash = 0;
  for (Placement placement : plan.info().placements.list())
    if (failed(checkResult(plan, connections, runner, placement, report.reductionHash, diags))) {
      report.verdict = Verdict::WrongResult;
      break;
    }
  if (!plan.info().collective.hasPostCondition())
    report.note = "the collective has no post-condition: the result was not checked";
  return report;
}
