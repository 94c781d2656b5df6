//===- GoalsTest.cpp - The goals of the scheduler -------------------------===//

#include "../../support/Lines.h"
#include "../../support/NaivePlan.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

#include "cclc/Proof/PlanVerifier.h"

#include <algorithm>
#include <tuple>

using namespace cclc;
using namespace cclc::test;

namespace {
struct Measured {
  uint64_t path = 0, steps = 0, threadblocks = 0;

  std::tuple<uint64_t, uint64_t, uint64_t> by(ScheduleGoal goal) const {
    switch (goal) {
    case ScheduleGoal::Balance:
    case ScheduleGoal::Path:
      return {path, steps, threadblocks};
    case ScheduleGoal::Steps:
      return {steps, path, threadblocks};
    case ScheduleGoal::Threadblocks:
      return {threadblocks, steps, path};
    }
    llvm_unreachable("unknown goal");
  }
};

/// The weight by its definition, computed from the emitted plan.
Measured measure(const ExecPlan &plan) {
  Measured result;
  result.steps = plan.steps().size();
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    result.threadblocks = std::max<uint64_t>(result.threadblocks, plan.numThreadblocks(RankId(r)));
  NaivePlan naive(plan);
  NaivePlan::Edges edges = naive.edges(/*slots=*/0);
  std::vector<uint64_t> end(plan.steps().size());
  auto unit = [&](uint32_t s) { return plan.steps()[s].op == OpKind::Nop ? 0 : 1; };
  for (uint32_t s = 0; s < end.size(); ++s)
    end[s] = unit(s);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [a, b] : edges)
      if (end[b] < end[a] + unit(b)) {
        end[b] = end[a] + unit(b);
        changed = true;
      }
  }
  for (uint64_t time : end)
    result.path = std::max(result.path, time);
  return result;
}

struct Scheduled {
  ExecPlan plan;
  Measured measured;
  uint64_t claimedPath;
};

Scheduled scheduled(const InstrProgram &program, const ScheduleOptions &options,
                    Remarks *remarks = nullptr) {
  DiagnosticEngine diags;
  PassContext context(diags);
  context.remarks = remarks;
  FailureOr<ExecPlan> plan = scheduleProgram(InstrProgram(program), options, context);
  if (failed(plan))
    FAIL(messages(diags));
  PlanProof report = verifyPlan(*plan, options.slots, diags);
  // The program does not compute the collective that it declares, so its result is not checked.
  if (report.verdict != Verdict::Ok && report.verdict != Verdict::WrongResult)
    FAIL(messages(diags) << printed(*plan));
  Measured measured = measure(*plan);
  return {std::move(*plan), measured, context.statistics().at("schedule.unit_path")};
}

constexpr ScheduleGoal allGoals[] = {ScheduleGoal::Balance, ScheduleGoal::Path, ScheduleGoal::Steps,
                                     ScheduleGoal::Threadblocks};
} // namespace

TEST_CASE("evaluating alternatives never worsens the primary goal, and the reported path is exact",
          "[property]") {
  uint32_t better[4] = {};
  for (uint64_t seed = 0; seed < scaled(150); ++seed) {
    RandomProgramOptions programOptions;
    programOptions.directives = seed % 3 == 0;
    DiagnosticEngine diags;
    PassContext context(diags);
    FailureOr<InstrProgram> program =
        optimised(randomProgram(seed + 340000, programOptions), seed % 2, context);
    REQUIRE(succeeded(program));
    ScheduleOptions options;
    options.slots = Slots(seed % 5 == 0 ? 1 : 8);
    options.weigh = false;
    Scheduled first = scheduled(*program, options);
    CHECK(first.claimedPath == first.measured.path);
    options.weigh = true;
    for (ScheduleGoal goal : allGoals) {
      INFO("seed " << seed << ", goal " << goalName(goal).str());
      options.goal = goal;
      Scheduled weighed = scheduled(*program, options);
      CHECK(weighed.claimedPath == weighed.measured.path);
      CHECK(weighed.measured.by(goal) <= first.measured.by(goal));
      // All alternatives are drafted only if their figures are to be explained.
      Remarks remarks;
      CHECK(printed(weighed.plan) == printed(scheduled(*program, options, &remarks).plan));
      better[static_cast<unsigned>(goal)] += weighed.measured.by(goal) < first.measured.by(goal);
    }
  }
  // It is worth the time.
  for (uint32_t count : better)
    CHECK(count > 3);
}

TEST_CASE("limits of threadblocks are met where possible", "[property]") {
  uint32_t kept = 0, tight = 0;
  for (uint64_t seed = 0; seed < scaled(80); ++seed) {
    DiagnosticEngine diags;
    PassContext context(diags);
    FailureOr<InstrProgram> program = optimised(randomProgram(seed + 350000, {}), true, context);
    REQUIRE(succeeded(program));
    ScheduleOptions options;
    Scheduled free = scheduled(*program, options);
    options.goal = ScheduleGoal::Threadblocks;
    Scheduled fewest = scheduled(*program, options);
    options.goal = ScheduleGoal::Balance;
    for (uint64_t limit = fewest.measured.threadblocks; limit < free.measured.threadblocks;
         ++limit) {
      INFO("seed " << seed << ", limit " << limit);
      ++tight;
      options.maxThreadblocks = limit;
      kept += scheduled(*program, options).measured.threadblocks <= limit;
    }
  }
  CHECK(tight > 20);
  CHECK(kept == tight);
}

TEST_CASE("steps that wait for the same threadblocks wait for one of them") {
  std::string text =
      R"(
      ccl.version 3
      chunk.program @p coll allgather ranks 4 chunks 1 outofplace {
        scratch "s" 4
        %0 = copy r0:"s"[0] <- r0:i[0]
        %1 = copy r0:"s"[1] <- r1:i[0]
        %2 = copy r0:"s"[2] <- r2:i[0]
        %3 = copy r0:"s"[3] <- r3:i[0]
        %4 = copy r1:o[0:4] <- r0:"s"[0:4]
        %5 = copy r2:o[0:4] <- r0:"s"[0:4]
        %6 = copy r3:o[0:4] <- r0:"s"[0:4]
      }
      )"_lines;
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<InstrProgram> program = optimised(parsed<ChunkProgram>(text), true, context);
  REQUIRE(succeeded(program));
  ScheduleOptions options;
  options.goal = ScheduleGoal::Path;
  Scheduled path = scheduled(*program, options);
  options.goal = ScheduleGoal::Steps;
  Scheduled steps = scheduled(*program, options);
  auto nops = [](const ExecPlan &plan) {
    return std::count_if(plan.steps().begin(), plan.steps().end(),
                         [](const Step &step) { return step.op == OpKind::Nop; });
  };
  // Three sends wait for two other threadblocks each; a hub saves the nops of two of them for the
  // cost of one.
  CHECK(path.measured.path == 4);
  CHECK(steps.measured.path == 5);
  CHECK(nops(path.plan) > nops(steps.plan));
  INFO(printed(steps.plan));
  CHECK(nops(steps.plan) <= 3);
}
