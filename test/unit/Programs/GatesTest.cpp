//===- GatesTest.cpp - Proofs of the generations of calls -----------------===//

#include "../../support/Lines.h"

#include "../Sim/Simulation.h"

#include "cclc/DSL/DSL.h"
#include "cclc/Proof/PlanVerifier.h"

#include <source_location>

using namespace cclc;
using namespace cclc::test;

namespace {
/// Two calls of one chunk each from r0 to r1, on one communicator of two groups. The parameters are
/// the phases of the steps.
struct Steps {
  int send0 = 1, send1 = 2, recv0 = 1, recv1 = 2;
};
std::string plan(const std::string &phases, Steps steps = {},
                 const std::string &groups = "[r0 r1] [r2]") {
  auto number = [](int n) { return std::to_string(n); };
  return "ccl.version 3\n"
         "exec.program @two coll custom ranks 3 outofplace slots 2 {\n"
         "  input 2\n  output 2\n"
         "  communicator 0 \"pairs\" " +
         groups +
         R"(

           communicator 1 "others" [r0 r1 r2]
           call 0 "broadcast" gen 1 loc("calls.cpp":10)
           call 1 "reduce" gen 2 loc("calls.cpp":20)
         )"_lines +
         phases + "  rank 0 {\n    tb 0 send r1 ch 0 {\n      0: s i[0] phase " +
         number(steps.send0) + "\n      1: s i[1] phase " + number(steps.send1) +
         "\n    }\n  }\n  rank 1 {\n    tb 0 recv r0 ch 0 {\n      0: r -> o[0] phase " +
         number(steps.recv0) + "\n      1: r -> o[1] phase " + number(steps.recv1) +
         R"(

             }
           }
           rank 2 {
           }
         }
         )"_lines;
}
const std::string good = R"(
    phase 1 "down" call 0 comm 0 stage 0 gen 1
    phase 2 "up" call 1 comm 0 stage 0 gen 4
  )"_lines;

struct Proof {
  Verdict verdict;
  std::string text;
};
Proof prove(const std::string &text) {
  ExecPlan plan = readGood(text, "two.ccl");
  DiagnosticEngine diags;
  Verdict verdict = verifyPlan(plan, Slots(2), diags).verdict;
  return {verdict, textOf(diags)};
}
} // namespace

TEST_CASE("increasing generations are correct", "[gates]") {
  CHECK(prove(plan(good)).verdict == Verdict::Ok);
  // Generations may be skipped.
  CHECK(prove(plan(R"(
      phase 1 "down" call 0 comm 0 stage 0 gen 1
      phase 2 "up" call 1 comm 0 stage 0 gen 400
    )"_lines))
            .verdict == Verdict::Ok);
  // Another communicator has its own gates.
  CHECK(prove(plan(R"(
      phase 1 "down" call 0 comm 0 stage 0 gen 9
      phase 2 "up" call 1 comm 1 stage 0 gen 1
    )"_lines))
            .verdict == Verdict::Ok);
}

TEST_CASE("a gate of a later generation is closed", "[gates]") {
  Proof proof = prove(plan(R"(
      phase 1 "down" call 0 comm 0 stage 0 gen 4
      phase 2 "up" call 1 comm 0 stage 2 gen 4
    )"_lines));
  CHECK(proof.verdict == Verdict::Deadlock);
  CHECK(proof.text ==
        "calls.cpp:20: error: the gate of communicator 'pairs', group 0 (r0 r1) expects generation "
        "5 or later, got 4: reduce with user generation 2 enters it in phase 'up'\n"
        "calls.cpp:10: note: broadcast with user generation 1 has set it to 5 in phase 'down' of "
        "generation 4\n");
}

TEST_CASE("a phase without generation is rejected at its location", "[gates]") {
  CHECK(readBad(plan(R"(
      phase 1 "down" call 0 comm 0 stage 0
      phase 2 "up" call 1 comm 0 stage 0 gen 4
    )"_lines),
                "two.ccl") ==
        "two.ccl:9:38: error: phase 'down' has no generation: expected 'gen'\n");
  std::string json = jsonOf(readGood(plan(good)));
  CHECK(readBad(with(json, ", \"generation\": 4}", "}"), "two.json") ==
        "two.json:21:56: error: 'generation' is missing\n");
  CHECK(readBad(with(json, ", \"generation\": 4}", ", \"generation\": 0}"), "two.json") ==
        "two.json:21:73: error: generations count from 1\n");
  CHECK(readBad(with(json, ", \"generation\": 4}", ", \"generation\": 3221225473}"), "two.json") ==
        "two.json:21:82: error: 'generation': 3221225473 exceeds the limit of 3221225472\n");
}

TEST_CASE("the generations of a threadblock do not decrease", "[gates]") {
  Proof proof = prove(plan(good, {2, 1, 2, 1}));
  CHECK(proof.verdict == Verdict::Deadlock);
  CHECK(proof.text == R"(
    two.ccl:14:7: error: r0 tb0 step 1 (s) goes back to generation 1 of communicator 'pairs'
    two.ccl:13:7: note: r0 tb0 step 0 (s) has generation 4
    )"_lines);
}

TEST_CASE("a message is received in the generation in which it was sent", "[gates]") {
  Proof proof = prove(plan(good, {1, 2, 1, 1}));
  CHECK(proof.verdict == Verdict::Deadlock);
  CHECK(proof.text ==
        "two.ccl:20:7: error: r1 tb0 step 1 (r) receives in generation 1 of communicator 'pairs' a "
        "message sent in generation 4 of communicator 'pairs': it waits forever\ntwo.ccl:14:7: "
        "note: r0 tb0 step 1 (s) sends it\n");
  CHECK(
      StringRef(prove(plan(good, {0, 2, 1, 2})).text).contains("a message sent in no generation"));
}

TEST_CASE("messages that leave their group are rejected at their send", "[gates]") {
  const std::string text = ": error: r0 tb0 step 0 (s): phase 'down' of broadcast with user "
                           "generation 1 sends from r0 to r1, which are not in one group of "
                           "communicator 'pairs'\n";
  CHECK(readBad(plan(good, {}, "[r0 r2] [r1]"), "two.ccl") == "two.ccl:13:7" + text);
  CHECK(readBad(plan(good, {}, "[r1 r2]"), "two.ccl") == "two.ccl:13:7" + text);
  std::string json = jsonOf(readGood(plan(good)));
  CHECK(StringRef(readBad(with(json, "[[0,1],[2]]", "[[0,2],[1]]"), "two.json")).ends_with(text));
}

TEST_CASE("the calls of a rank on a communicator have ascending numbers", "[gates]") {
  // In order, the calls would enter the first and the last stage of user generation 1.
  std::string phases = R"(
      phase 1 "down" call 0 comm 0 stage 0 gen 1
      phase 2 "up" call 1 comm 0 stage 2 gen 3
    )"_lines;
  std::string text = plan(phases);
  CHECK(prove(text).verdict == Verdict::Ok);
  Proof proof = prove(with(text, "\"reduce\" gen 2", "\"reduce\" gen 1"));
  CHECK(proof.verdict == Verdict::Deadlock);
  CHECK(proof.text ==
        "calls.cpp:20: error: the gate of communicator 'pairs', group 0 (r0 r1) expects user "
        "generation 2 or later, got 1: reduce with user generation 1 enters it in phase 'up'\n"
        "calls.cpp:10: note: broadcast with user generation 1 has set it to 2 in phase 'down' of "
        "generation 1\n");
  // On another communicator it is the first call.
  CHECK(prove(with(with(text, "\"reduce\" gen 2", "\"reduce\" gen 1"), "call 1 comm 0 stage 2",
                   "call 1 comm 1 stage 2"))
            .verdict == Verdict::Ok);
}

namespace {
/// Two sums of pairs of ranks, {0, 1} with one number, then {2, 3} (or {0, 1} again) with another.
struct Pairs {
  bool oneCommunicator, samePair;
  int first, second;
};
Pairs pairs;
int secondCall; ///< its line

void sumOfPairs(dsl::Program &p) {
  using namespace dsl;
  p.custom(2, 2);
  int a = pairs.samePair ? 0 : 2;
  p.expect(1, 0, {{0, 0}, {1, 0}});
  p.expect(a + 1, 1, {{a, 1}, {a + 1, 1}});
  dsl::Communicator one = p.communicator("one", {{0, 1}, {2, 3}});
  dsl::Communicator other = pairs.oneCommunicator ? one : p.communicator("other", {{a, a + 1}});
  p.call("sum", pairs.first);
  p.enter(one, 1, "up");
  p.chunk(0, Input, 0).copy(1, Output, 0).reduce(p.chunk(1, Input, 0));
  secondCall = std::source_location::current().line() + 1;
  p.call("sum", pairs.second);
  p.enter(other, 1, "up");
  p.chunk(a, Input, 1).copy(a + 1, Output, 1).reduce(p.chunk(a + 1, Input, 1));
}

/// The diagnostics of compiling; a plan without errors must also run.
std::string compiledPairs(Pairs how) {
  pairs = how;
  dsl::Declaration declaration("pairs");
  declaration.collective(dsl::Custom).ranks(4, 4).body(sumOfPairs);
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(declaration, {}, diags);
  CHECK((succeeded(outcome)) == !diags.hasErrors());
  if (succeeded(outcome)) {
    ExecPlan again = readGood(textOf(Module(ExecPlan(outcome->plan))));
    CHECK(verifyPlan(again, Slots(1), diags).verdict == Verdict::Ok);
    Machine m = machine("ring", {}, 4);
    CHECK(Simulation(again, m, 1 << 10).run("ideal").completed);
  }
  return textOf(diags);
}
} // namespace

TEST_CASE("generations are counted per communicator and rank", "[gates]") {
  for (bool oneCommunicator : {false, true})
    for (bool samePair : {false, true})
      for (auto [first, second] : {std::pair(1, 1), {1, 2}, {2, 1}, {7, 3}}) {
        INFO(oneCommunicator << samePair << first << second);
        std::string text = compiledPairs({oneCommunicator, samePair, first, second});
        bool good = !oneCommunicator || !samePair || first < second;
        CHECK(text.empty() == good);
      }
  CHECK(StringRef(compiledPairs({true, true, 2, 1}))
            .starts_with(
                std::string(std::source_location::current().file_name()) + ":" +
                std::to_string(secondCall) +
                ": error: the gate of communicator 'one', group 0 (r0 r1) expects generation 5 or "
                "later, got 1: sum with user generation 1 enters it in phase 'up'\n"));
}
