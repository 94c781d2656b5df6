//===- CutTest.cpp - Random programs in short threadblocks ----------------===//
//
// Plans whose threadblocks may have few steps only, combined with all other limits:
// the cut plan is proved, computes the result of the program, and meets the limit
// unless channels or threadblocks are exhausted.
//
//===----------------------------------------------------------------------===//

#include "../support/Interpreters.h"
#include "../support/RandomProgram.h"

#include "cclc/IR/Text/Printer.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Schedule/Schedule.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

using namespace cclc;
using namespace cclc::test;

namespace {
uint32_t longestThreadblock(const ExecPlan &plan) {
  uint32_t longest = 0;
  for (const Threadblock &tb : plan.threadblocks())
    longest = std::max(longest, tb.numSteps);
  return longest;
}

class Case {
public:
  /// With \p tight, other limits may be exhausted as well.
  Case(uint64_t seed, bool directives, bool tight) : random(seed), seed(seed) {
    RandomProgramOptions options;
    options.maxOps = 60;
    options.directives = directives;
    options.calls = seed % 5 == 0;
    program.emplace(randomProgram(seed, options));
    fused = random.chance(70);
    slots = Slots(1 + random.below(3));
    steps = random.between(6, 12);
    instances = random.between(1, 3);
    if (tight) {
      maxThreadblocks = random.between(8, 40);
      maxWaitTarget = random.between(8, 20);
    }
  }

  /// Checks that threadblocks were cut as specified.
  enum class Result { Short, Cut, TooLong };
  Result run() {
    multiply();
    ExecPlan whole = schedule({}), cut = schedule(steps);
    check(cut);
    uint32_t before = longestThreadblock(whole), after = longestThreadblock(cut);
    // If the limit cannot be met, the plan is the one without it.
    CHECK((after <= steps || after == before));
    return after > steps ? Result::TooLong : before > steps ? Result::Cut : Result::Short;
  }

private:
  void multiply() {
    DiagnosticEngine diags;
    PassContext context(diags);
    FailureOr<ChunkProgram> copies =
        replicateInstances(*program, instances, InstanceLayout::Blocked, context);
    if (failed(copies))
      fail("is not replicated", diags);
    program.emplace(std::move(*copies));
  }

  ExecPlan schedule(std::optional<uint32_t> most) {
    DiagnosticEngine diags;
    PassContext context(diags);
    FailureOr<InstrProgram> instrs = lowerToInstr(ChunkProgram(*program), context);
    if (succeeded(instrs) && fused)
      instrs = fuseReceiveReduce(std::move(*instrs), context);
    if (succeeded(instrs) && fused)
      instrs = fuse(std::move(*instrs), {}, context);
    if (failed(instrs))
      fail("is not lowered", diags);
    ScheduleOptions options;
    options.slots = slots;
    options.maxThreadblocks = maxThreadblocks;
    options.maxPerChannel = 4;
    options.maxSteps = most;
    options.maxWaitTarget = maxWaitTarget;
    FailureOr<ExecPlan> plan = scheduleProgram(std::move(*instrs), options, context);
    if (failed(plan))
      fail("is not scheduled", diags);
    return std::move(*plan);
  }

  void check(const ExecPlan &plan) {
    DiagnosticEngine diags;
    // The program does not compute the collective that it declares, so its result is not checked.
    PlanProof report = verifyPlan(plan, slots, diags);
    if (report.verdict != Verdict::Ok && report.verdict != Verdict::WrongResult)
      fail("is not proved", diags);
    for (Placement placement : plan.info().placements.list())
      if (executePlan(plan, placement, slots, seed) != executeDirectly(*program, placement))
        fail("computes something else", diags);
  }

  [[noreturn]] void fail(const char *what, const DiagnosticEngine &diags) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "seed " << seed << ", " << steps << " steps: " << what << '\n';
    print(os, *program);
    diags.print(os, "error");
    FAIL(text);
    std::abort();
  }

  Random random;
  uint64_t seed;
  std::optional<ChunkProgram> program;
  bool fused = false;
  Slots slots = defaultSlots;
  uint32_t steps = 0, instances = 1;
  std::optional<uint32_t> maxThreadblocks, maxWaitTarget;
};

struct Tally {
  uint32_t cut = 0, tooLong = 0;
};

Tally tally(bool directives, bool tight) {
  Tally tally;
  for (uint64_t n = 0; n < scaled(1000); ++n) {
    Case::Result result = Case(9'000'000 + n, directives, tight).run();
    tally.cut += result == Case::Result::Cut;
    tally.tooLong += result == Case::Result::TooLong;
  }
  return tally;
}
} // namespace

// Only steps with more waits than a threadblock may have steps exceed the limit.
TEST_CASE("random programs are cut into short threadblocks", "[property]") {
  Tally random = tally(/*directives=*/false, /*tight=*/false);
  CHECK(random.cut > 10 * random.tooLong);
}

TEST_CASE("random programs are cut as far as other limits allow", "[property]") {
  Tally random = tally(/*directives=*/false, /*tight=*/true);
  CHECK(random.cut > random.tooLong);
}

TEST_CASE("random programs with directives are cut as far as these allow", "[property]") {
  Tally random = tally(/*directives=*/true, /*tight=*/false);
  CHECK(random.cut > random.tooLong / 4);
}
