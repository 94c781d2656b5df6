//===- GatherWaitsTest.cpp - Waiting before merged reductions -------------===//
//
// The waits that move and those that do not; then random plans, whose proofs must have the same
// results before and after, and must need the same slots.
//
//===----------------------------------------------------------------------===//

#include "../../support/Lines.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

#include "cclc/Proof/PlanVerifier.h"

using namespace cclc;
using namespace cclc::test;

namespace {

ExecPlan gathered(ExecPlan plan) {
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<ExecPlan> result = gatherWaits(std::move(plan), context);
  if (failed(result))
    FAIL(messages(diags));
  return std::move(*result);
}

/// The result for a rank whose threadblock 0 has \p steps. Threadblocks 1 and 2 publish copies to
/// scratch, three each.
std::string gathered(StringRef steps, StringRef placement = "outofplace") {
  std::string text = ("ccl.version 3\nexec.program @p coll allreduce ranks 2 chunks 4 " +
                      placement + " slots 8 {\n  rank 0 scratch 40 {\n    tb 0 ch 0 {\n" + steps)
                         .str() +
                     R"(
        }
        tb 1 ch 0 {
          0: cpy i[0] -> s[0] pub
          1: cpy i[0] -> s[1] pub
          2: cpy i[0] -> s[2] pub
        }
        tb 2 ch 0 {
          0: cpy i[0] -> s[3] pub
          1: cpy i[0] -> s[4] pub
          2: cpy i[0] -> s[5] pub
        }
      }
      rank 1 {
      }
    }
  )"_lines;
  std::string all = printed(gathered(parsed<ExecPlan>(text)));
  StringRef body = StringRef(all).split("tb 0 ch 0 {\n").second;
  return body.take_front(body.find("    }\n")).str();
}

} // namespace

TEST_CASE("waits inside an operation move before it", "[gather-waits]") {
  CHECK(gathered(R"(
      0: cpy i[0] -> o[0]
      1: re s[0] -> o[0]
      2: nop dep tb1:0
      3: re s[3] -> o[0] dep tb2:0
      4: re s[4] -> o[0] pub
)"_lines) == R"(
      0: cpy i[0] -> o[0]
      1: nop dep tb1:0
      2: re s[0] -> o[0] dep tb2:0
      3: re s[3] -> o[0]
      4: re s[4] -> o[0] pub
)"_lines);
  // Of two waits for a threadblock, the one for the later step implies the other one.
  CHECK(gathered(R"(
      0: nop dep tb2:1
      1: re s[0] -> o[0] dep tb1:0
      2: re s[1] -> o[0] dep tb1:1
      3: re s[3] -> o[0] dep tb2:0
)"_lines) == R"(
      0: nop dep tb2:1
      1: re s[0] -> o[0] dep tb1:1
      2: re s[1] -> o[0]
      3: re s[3] -> o[0]
)"_lines);
}

TEST_CASE("waits between operations stay", "[gather-waits]") {
  // The later reduction has another destination, source buffer or count, the earlier one publishes,
  // or there is another step in between.
  for (const char *between :
       {"re s[1] -> o[1] dep tb2:0", "re i[0] -> o[0] dep tb2:0", "re s[0:2] -> o[0:2] dep tb2:0",
        "nop dep tb2:0\n      2: cpy i[3] -> s[30]\n      3: re s[1] -> o[0] dep tb2:1"}) {
    std::string steps =
        "      0: re s[0] -> o[0] dep tb1:0\n      1: " + std::string(between) + '\n';
    CHECK(gathered(steps) == steps);
  }
  std::string publishes = R"(
      0: re s[0] -> o[0] dep tb1:0 pub
      1: re s[3] -> o[0] dep tb2:0
)"_lines;
  CHECK(gathered(publishes) == publishes);
  // In place, the later operand is the destination.
  std::string doubles = R"(
      0: re i[1] -> o[0] dep tb1:0
      1: re i[0] -> o[0] dep tb2:0
)"_lines;
  CHECK(gathered(doubles, "inplace") == doubles);
  CHECK(gathered(doubles) != doubles);
}

TEST_CASE("an operation ends after the sixteenth reduction of a threadblock", "[gather-waits]") {
  std::string steps = "      0: re s[0] -> o[0] dep tb1:0\n";
  for (uint32_t i = 1; i < 20; ++i)
    steps += "      " + std::to_string(i) + ": re s[" + std::to_string(i) + "] -> o[0]" +
             (i == 15   ? " dep tb2:0"
              : i == 18 ? " dep tb2:1"
                        : "") +
             '\n';
  std::string expected = "      0: nop dep tb1:0\n      1: re s[0] -> o[0] dep tb2:0\n";
  for (uint32_t i = 1; i < 20; ++i)
    expected += "      " + std::to_string(i + 1) + ": re s[" + std::to_string(i) + "] -> o[0]" +
                (i == 16 ? " dep tb2:1" : "") + '\n';
  CHECK(gathered(steps) == expected);
}

TEST_CASE("random plans are equivalent with gathered waits", "[gather-waits]") {
  uint32_t changed = 0;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    INFO("seed " << seed);
    RandomProgramOptions options;
    options.programClass = seed % 4 ? ProgramClass::Sums : ProgramClass::Any;
    options.calls = seed % 3 == 0;
    options.directives = seed % 2;
    Slots slots(1 + seed % 3);
    ExecPlan plan = randomPlan(seed, slots, /*fused=*/false, options);
    ExecPlan moved = gathered(plan);
    changed += printed(moved) != printed(plan);
    DiagnosticEngine diags;
    PlanProof before = verifyPlan(plan, slots, diags), after = verifyPlan(moved, slots, diags);
    REQUIRE(before.reductionHash.has_value());
    CHECK(before.verdict == after.verdict);
    CHECK(before.reductionHash == after.reductionHash);
    CHECK(before.slotsNeeded == after.slotsNeeded);
    for (uint32_t s = 0; s < moved.steps().size(); ++s)
      CHECK((moved.steps()[s].op != OpKind::Nop || moved.steps()[s].waits()));
  }
  CHECK(changed > 100);
}
