//===- PlanVerifier.cpp - The parts of the proof in order -----------------===//
//
// Each part assumes that those before it hold: the run that computes the values is one of a plan
// without deadlocks and races. The run that finds the number of slots also computes the first
// result. With several jobs the parts are computed at once, each by its own run. The parts behind
// one that fails are discarded: a run of a plan that blocks ends early.
// The result is computed with joined ranges (SymbolicMemory.h), whose cells have no writers; only a
// wrong result is computed a second time, for its message.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/PlanVerifier.h"

#include "cclc/Proof/Deadlock.h"
#include "cclc/Proof/Gates.h"
#include "cclc/Proof/PlanExecution.h"
#include "cclc/Proof/Races.h"
#include "cclc/Proof/UniformOrder.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Parallel.h"

#include <array>

using namespace cclc;

namespace {
/// Part 4 of the proof and, if it is wanted, part 5, under one placement.
struct PlanResult {
  bool known = false;
  bool right = false;
  bool sameBits = false;
  uint64_t hash = 0;
  DiagnosticEngine diags;
};

/// The parts of a proof, each of which is computed at the first request.
class ProofParts {
public:
  ProofParts(const ExecPlan &plan, ReductionHash wanted, unsigned jobs)
      : plan(plan), wanted(wanted), connections(plan), runner(plan, connections),
        placements(plan.info().placements.list()), results(placements.size()) {
    if (jobs <= 1)
      return;
    parallelFor(jobs, 2 + placements.size(), [&](size_t part) {
      PlanControlFlow own(plan, connections);
      if (part == 0)
        slots = cclc::slotsNeeded(own);
      else if (part == 1)
        race = cclc::findRace(plan, connections, own, jobs > 3 ? jobs - 3 : 1);
      else
        compute(results[part - 2], placements[part - 2], own);
    });
  }

  const std::optional<uint32_t> &slotsNeeded() {
    if (!slots)
      executeFirst();
    return *slots;
  }
  const std::optional<Race> &findRace() {
    if (!race)
      race = cclc::findRace(plan, connections, runner);
    return *race;
  }
  PlanResult &result(size_t placement) {
    if (!results[placement].known)
      compute(results[placement], placements[placement], runner);
    return results[placement];
  }

  const ExecPlan &plan;
  ReductionHash wanted;
  ConnectionTable connections;
  PlanControlFlow runner;
  const SmallVector<Placement, 2> placements;

private:
  /// Finds the number of slots and the result of the first placement in the same run.
  void executeFirst() {
    PlanExecution execution(plan, connections, placements.front(), Ranges::Joined);
    slots = runner.runWithLeastSlots([&](PlanThreadblockId threadblock, StepId step) {
      execution.execute(threadblock, step, connections);
    });
    if (*slots)
      check(results.front(), execution);
  }

  void compute(PlanResult &result, Placement placement, PlanControlFlow &run) const {
    check(result, PlanExecution(plan, connections, run, placement, Ranges::Joined));
    if (!result.known)
      check(result, PlanExecution(plan, connections, run, placement));
  }

  /// Sets the result of an execution, unless it is wrong and an execution with separate ranges can
  /// explain it.
  void check(PlanResult &result, const PlanExecution &execution) const {
    result.diags.clear();
    result.right = execution.memory().hasDistinctIds() &&
                   succeeded(execution.checkPostCondition(result.diags));
    result.known = result.right || execution.memory().values.keepsOrigins();
    if (!result.known || wanted != ReductionHash::Compute)
      return;
    result.hash = execution.reductionHash();
    const Collective &collective = plan.info().collective;
    if (result.right && collective.kind() == CollectiveKind::AllReduce)
      result.sameBits = hasSameBits(collective, execution.memory());
  }

  std::optional<std::optional<uint32_t>> slots;
  std::optional<std::optional<Race>> race;
  std::vector<PlanResult> results; ///< by placement
};
} // namespace

StringRef cclc::verdictName(Verdict verdict) {
  constexpr std::array<StringRef, 7> names = {"ok",      "wrong-result", "race",     "deadlock",
                                              "illegal", "unsupported",  "malformed"};
  return names[static_cast<size_t>(verdict)];
}

Failure cclc::failureOf(Verdict verdict) {
  bool isWrong = verdict != Verdict::Unsupported && verdict != Verdict::Malformed;
  return isWrong ? Failure::Wrong : Failure::Unusable;
}

PlanProof cclc::verifyPlan(const ExecPlan &plan, Slots slots, DiagnosticEngine &diags,
                           ReductionHash wanted, unsigned jobs) {
  MemoryBudget::Work work("the proof of the plan");
  ProofParts parts(plan, wanted, jobs);
  PlanProof report;
  report.slotsNeeded = parts.slotsNeeded();
  bool completes =
      report.slotsNeeded && (slots.isUnlimited() || slots.limit() >= *report.slotsNeeded);
  if (!completes) {
    reportDeadlock(plan, *findDeadlock(plan, parts.runner, slots), slots, diags);
    report.verdict = Verdict::Deadlock;
    return report;
  }
  // Violations of gates block the plan: a rank cannot enter the gate, and a message cannot change
  // its generation.
  if (failed(checkGates(plan, parts.connections, diags))) {
    report.verdict = Verdict::Deadlock;
    return report;
  }
  if (const std::optional<Race> &race = parts.findRace()) {
    reportRace(plan, *race, diags);
    report.verdict = Verdict::Race;
    return report;
  }
  bool sameBits = true;
  if (wanted == ReductionHash::Compute)
    report.reductionHash = 0;
  for (size_t p = 0; p < parts.placements.size() && report.verdict == Verdict::Ok; ++p) {
    PlanResult &result = parts.result(p);
    if (report.reductionHash)
      *report.reductionHash = *report.reductionHash * 31 + result.hash;
    if (!result.right)
      report.verdict = Verdict::WrongResult;
    sameBits &= result.sameBits;
    diags.append(std::move(result.diags));
  }
  if (report.reductionHash && report.verdict == Verdict::Ok &&
      plan.info().collective.kind() == CollectiveKind::AllReduce)
    report.sameBits = sameBits;
  if (!plan.info().collective.hasPostCondition())
    report.note = "the collective has no post-condition: the result was not checked";
  return report;
}
