//===- LowerFusedTest.cpp - Splitting fused receives ----------------------===//
//
// Each instruction by its definition, including overlapping operands; then random
// plans, whose proof must have the same result before and after.
//
//===----------------------------------------------------------------------===//

#include "../../support/Lines.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

#include "cclc/Proof/PlanVerifier.h"

using namespace cclc;
using namespace cclc::test;

namespace {

ExecPlan lowered(ExecPlan plan) {
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<ExecPlan> result = lowerFused(std::move(plan), context);
  if (failed(result))
    FAIL(messages(diags));
  return std::move(*result);
}

/// The lowered form of \p step on the last of two ranks.
std::string lowered(StringRef header, StringRef step) {
  bool sends = step.ends_with("s"); // step is "OPERANDS OP"
  auto [operands, op] = step.rsplit(' ');
  std::string text = ("ccl.version 3\nexec.program @p coll " + header +
                      " slots 8 {\n  rank 0 {\n    tb 0 send r1 " + (sends ? "recv r1 " : "") +
                      "ch 0 {\n      0: s i[0:2]\n" + (sends ? "      1: r -> o[4:6]\n" : "") +
                      "    }\n  }\n  rank 1 scratch 1 {\n    tb 0 " + (sends ? "send r0 " : "") +
                      "recv r0 ch 0 {\n      0: " + op + " " + operands + R"(

              }
            }
          }
          )"_lines)
                         .str();
  std::string all = printed(lowered(parsed<ExecPlan>(text)));
  StringRef body = StringRef(all).split("  rank 1 ").second;
  return body.take_front(body.find("    }\n")).str();
}
} // namespace

TEST_CASE("a fused receive is split into its parts", "[lower-fused]") {
  const char apart[] = "allreduce ranks 2 chunks 6 outofplace";
  CHECK(lowered(apart, "-> o[0:2] rcs") == R"(
    scratch 1 {
        tb 0 send r0 recv r0 ch 0 {
          0: r -> o[0:2]
          1: s o[0:2]
    )"_lines);
  CHECK(lowered(apart, "o[0:2] -> o[0:2] rrc") == R"(
    scratch 3 {
        tb 0 recv r0 ch 0 {
          0: r -> s[1:3]
          1: re s[1:3] -> o[0:2]
    )"_lines);
  CHECK(lowered(apart, "i[0:2] -> o[0:2] rrc") == R"(
    scratch 3 {
        tb 0 recv r0 ch 0 {
          0: r -> s[1:3]
          1: cpy i[0:2] -> o[0:2]
          2: re s[1:3] -> o[0:2]
    )"_lines);
  CHECK(lowered(apart, "i[0:2] rrs") == R"(
    scratch 5 {
        tb 0 send r0 recv r0 ch 0 {
          0: r -> s[1:3]
          1: cpy i[0:2] -> s[3:5]
          2: re s[1:3] -> s[3:5]
          3: s s[3:5]
    )"_lines);
  CHECK(lowered(apart, "o[0:2] -> o[0:2] rrcs") == R"(
    scratch 3 {
        tb 0 send r0 recv r0 ch 0 {
          0: r -> s[1:3]
          1: re s[1:3] -> o[0:2]
          2: s o[0:2]
    )"_lines);
}

TEST_CASE("an operand that the destination would overwrite is saved", "[lower-fused]") {
  // In place the two are the same cells: a copy from one to the other is not recorded.
  CHECK(lowered("allreduce ranks 2 chunks 6 inplace", "i[0:2] -> o[0:2] rrc") ==
        R"(
        scratch 3 {
            tb 0 recv r0 ch 0 {
              0: r -> s[1:3]
              1: re s[1:3] -> o[0:2]
        )"_lines);
  // The same under one placement, disjoint under the other.
  std::string either =
      lowered("allreduce ranks 2 chunks 6 inplace outofplace", "i[0:2] -> o[0:2] rrc");
  CHECK(either == R"(
    scratch 5 {
        tb 0 recv r0 ch 0 {
          0: r -> s[1:3]
          1: cpy i[0:2] -> s[3:5]
          2: re s[1:3] -> s[3:5]
          3: cpy s[3:5] -> o[0:2]
    )"_lines);
}

TEST_CASE("a dead operand receives the sum", "[lower-fused]") {
  auto ring = [](StringRef placement, StringRef others, StringRef waits) {
    std::string all = printed(lowered(parsed<ExecPlan>(
        ("ccl.version 3\nexec.program @ring coll allreduce ranks 3 chunks 1 " + placement +
         " {\n  rank 0 {\n    tb 0 send r1 recv r2 ch 0 {\n      0: s i[0]\n      1: rcs -> o[0]\n"
         "    }\n  }\n  rank 1 scratch 1 {\n    tb 0 send r2 recv r0 ch 0 {\n      0: rrs i[0]" +
         waits + R"(

                 1: r -> o[0]
               }
           )"_lines +
         others +
         R"(
           }
           rank 2 {
             tb 0 send r0 recv r1 ch 0 {
               0: rrcs i[0] -> o[0]
             }
           }
         }
         )"_lines)
            .str())));
    StringRef body = StringRef(all).split("  rank 1 ").second;
    return body.take_front(body.find("r -> o[0]")).str();
  };
  std::string head = "    tb 0 send r2 recv r0 ch 0 {\n";
  std::string inScratch = "scratch 3 {\n" + head +
                          "      0: r -> s[1]\n      1: cpy i[0] -> s[2]\n"
                          "      2: re s[1] -> s[2]\n      3: s s[2]\n      4: ";
  // In place the receive overwrites it; out of place the input must be unchanged.
  CHECK(ring("inplace", "", "") == "scratch 2 {\n" + head +
                                       "      0: r -> s[1]\n      1: re s[1] -> i[0]\n"
                                       "      2: s i[0]\n      3: ");
  CHECK(ring("outofplace", "", "") == inScratch);
  CHECK(ring("inplace outofplace", "", "") == inScratch);
  // Another threadblock reads it, before or after.
  std::string reader = R"(
        tb 1 ch 0 {
          0: cpy i[0] -> s[0] pub
        }
    )"_lines;
  CHECK(ring("inplace", reader, " dep tb1:0") ==
        "scratch 3 {\n" + head +
            "      0: r -> s[1] dep tb1:0\n      1: cpy i[0] -> s[2]\n"
            "      2: re s[1] -> s[2]\n      3: s s[2]\n      4: ");
}

TEST_CASE("random plans are equivalent without fused receives", "[lower-fused]") {
  uint64_t fused = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    INFO("seed " << seed);
    RandomProgramOptions options;
    options.calls = seed % 3 == 0;
    options.directives = seed % 2;
    Slots slots(1 + seed % 3);
    ExecPlan plan = randomPlan(seed, slots, /*fused=*/true, options);
    ExecPlan apart = lowered(plan);
    for (const Step &step : plan.steps())
      fused += traits(step.op).receives && step.op != OpKind::Recv;
    for (const Step &step : apart.steps())
      CHECK((!traits(step.op).receives || step.op == OpKind::Recv));
    DiagnosticEngine diags;
    PlanProof before = verifyPlan(plan, slots, diags), after = verifyPlan(apart, slots, diags);
    CHECK(before.verdict == after.verdict);
    CHECK(before.reductionHash == after.reductionHash);
    CHECK(*after.slotsNeeded <= *before.slotsNeeded);
  }
  CHECK(fused > 3000);
}
