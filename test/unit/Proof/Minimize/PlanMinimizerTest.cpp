//===- PlanMinimizerTest.cpp - Minimised failing plans --------------------===//
//
// Random plans with injected defects are minimised. The result has to fail in the
// same way according to oracles that are independent of the reducer and the
// verifier, and no further part may be removable.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/Minimize/PlanFailure.h"

#include "../../../support/Interpreters.h"
#include "../../../support/Lines.h"
#include "../../../support/NaivePlan.h"
#include "../../../support/RandomPlan.h"
#include "../../../support/Text.h"

#include "cclc/Proof/Races.h"

using namespace cclc;
using namespace cclc::test;

namespace {

/// Every variant of \p part with some messages, waits or local steps removed; none of them may have
/// the failure.
void checkNothingCanGo(const MinimizedPlan &part, const PlanFailure &failure) {
  uint32_t candidates = 0;
  MinimizedPlan again = minimizePlan(part.plan, [&](const MinimizedPlan &smaller) {
    ++candidates;
    MinimizedPlan ofWhole = smaller;
    for (uint32_t &step : ofWhole.origin)
      step = part.origin[step];
    for (RankId &rank : ofWhole.ranks)
      rank = part.ranks[rank.index()];
    return failure.isIn(ofWhole);
  });
  CHECK(candidates > 0);
  CHECK(again.plan.steps().size() == part.plan.steps().size());
}

/// A deadlock according to a naive executor, or a race according to the closure over all edges.
void checkFailure(const ExecPlan &plan, const MinimizedPlan &part, Verdict verdict, Slots slots) {
  NaivePlan naive(part.plan);
  if (verdict == Verdict::Deadlock) {
    CHECK_FALSE(executePlan(part.plan, part.plan.info().placements.list().front(), slots, 1));
    return;
  }
  if (verdict != Verdict::Race)
    return;
  auto ordered = naive.closure(naive.edges(0));
  bool races = false;
  for (uint32_t a = 0; a < part.plan.steps().size(); ++a)
    for (uint32_t b = a + 1; b < part.plan.steps().size(); ++b)
      races |= !ordered[a][b] && !ordered[b][a] && naive.conflict(a, b);
  CHECK(races);
  // It was a race before as well: no edge that orders the two accesses was removed.
  NaivePlan whole(plan);
  auto before = whole.closure(whole.edges(0));
  ConnectionTable connections(part.plan);
  PlanControlFlow runner(part.plan, connections);
  Race race = *findRace(part.plan, connections, runner);
  uint32_t a = part.origin[race.earlier.index()], b = part.origin[race.later.index()];
  CHECK_FALSE((before[a][b] || before[b][a]));
}
} // namespace

TEST_CASE("random failing plans are reduced to their failure", "[reduce]") {
  std::map<Verdict, uint32_t> met;
  uint64_t stepsBefore = 0, stepsAfter = 0;
  for (uint64_t seed = 0; seed < scaled(600); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    RandomProgramOptions options;
    options.maxOps = 30;
    options.maxRanks = 4;
    options.switches = seed % 3 == 2;
    ExecPlan good = randomPlan(seed + 70000, Slots(8), seed % 2, options);
    Spoil how{random.chance(50) ? 25u : 0, uint32_t(random.below(4))};
    std::optional<ExecPlan> plan = spoilt(good, how, random);
    if (!plan)
      continue;
    Slots slots(random.chance(20) ? 1 : 8);
    DiagnosticEngine diags;
    std::optional<PlanFailure> failure = PlanFailure::find(*plan, slots, diags);
    if (!failure)
      continue;
    ++met[failure->verdict()];
    INFO(printed(*plan));
    MinimizedPlan part =
        minimizePlan(*plan, [&](const MinimizedPlan &smaller) { return failure->isIn(smaller); });
    INFO(printed(part.plan));
    CHECK(failure->isIn(part));
    checkFailure(*plan, part, failure->verdict(), slots);
    checkNothingCanGo(part, *failure);
    stepsBefore += plan->steps().size();
    stepsAfter += part.plan.steps().size();
  }
  CHECK(met[Verdict::Deadlock] > scaled(20));
  CHECK(met[Verdict::Race] > scaled(20));
  CHECK(met[Verdict::WrongResult] > scaled(20));
  CHECK(stepsAfter * 3 < stepsBefore);
}

TEST_CASE("a correct plan has no failure", "[reduce]") {
  auto plan = parsed<ExecPlan>(R"(
    ccl.version 3
    exec.program @p coll broadcast ranks 2 chunks 1 inplace {
      rank 0 { tb 0 send r1 ch 0 { 0: s i[0] } }
      rank 1 { tb 0 recv r0 ch 0 { 0: r -> i[0] } }
    }
    )"_lines);
  DiagnosticEngine diags;
  CHECK_FALSE(PlanFailure::find(plan, Slots(8), diags));
  CHECK(diags.all().empty());
}

TEST_CASE("any predicate can decide what is kept", "[reduce]") {
  RandomProgramOptions options;
  options.maxOps = 30;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    INFO("seed " << seed);
    ExecPlan plan = randomPlan(seed, Slots(8), true, options);
    auto reduces = [](const MinimizedPlan &part) {
      return llvm::any_of(part.plan.steps(),
                          [](const Step &step) { return traits(step.op).reduces(); });
    };
    uint32_t heard = 0, last = plan.steps().size();
    if (!reduces({plan, {}, {}}))
      continue;
    MinimizedPlan part = minimizePlan(plan, reduces, [&](const MinimizedPlan &smaller) {
      CHECK(smaller.plan.steps().size() <= last);
      last = smaller.plan.steps().size();
      ++heard;
    });
    CHECK(heard > 0);
    // One step that reduces, and the step that sends to it.
    CHECK(part.plan.steps().size() <= 2);
    CHECK(part.plan.ranks() == (part.plan.steps().size() == 2 ? 2 : 1));
    CHECK(part.plan.maxCount() == 1);
  }
}
