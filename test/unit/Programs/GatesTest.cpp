//===- GatesTest.cpp - Generations of calls, proved -----------------------===//

#include "../Plans.h"

#include "cclc/Semantics/PlanVerifier.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// Two calls of one chunk each from r0 to r1, on one communicator of two groups. The
/// phases that the steps belong to are the parameters.
struct Steps {
  int send0 = 1, send1 = 2, recv0 = 1, recv1 = 2;
};
std::string plan(const std::string &phases, Steps steps = {},
                 const std::string &groups = "[r0 r1] [r2]") {
  auto number = [](int n) { return std::to_string(n); };
  return "ccl.version 2\n"
         "exec.program @two coll custom ranks 3 outofplace slots 2 {\n"
         "  input 2\n  output 2\n"
         "  communicator 0 \"pairs\" " +
         groups +
         "\n  communicator 1 \"others\" [r0 r1 r2]\n"
         "  call 0 \"broadcast\" gen 1 loc(\"calls.cpp\":10)\n"
         "  call 1 \"reduce\" gen 2 loc(\"calls.cpp\":20)\n" +
         phases + "  rank 0 {\n    tb 0 send r1 ch 0 {\n      0: s i[0] phase " +
         number(steps.send0) + "\n      1: s i[1] phase " + number(steps.send1) +
         "\n    }\n  }\n  rank 1 {\n    tb 0 recv r0 ch 0 {\n      0: r -> o[0] phase " +
         number(steps.recv0) + "\n      1: r -> o[1] phase " + number(steps.recv1) +
         "\n    }\n  }\n  rank 2 {\n  }\n}\n";
}
const std::string good = "  phase 1 \"down\" call 0 comm 0 stage 0 gen 1\n"
                         "  phase 2 \"up\" call 1 comm 0 stage 0 gen 4\n";

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

TEST_CASE("generations that grow are good", "[gates]") {
  CHECK(prove(plan(good)).verdict == Verdict::Ok);
  // A gap costs nothing.
  CHECK(prove(plan("  phase 1 \"down\" call 0 comm 0 stage 0 gen 1\n"
                   "  phase 2 \"up\" call 1 comm 0 stage 0 gen 400\n"))
            .verdict == Verdict::Ok);
  // Another communicator has gates of its own.
  CHECK(prove(plan("  phase 1 \"down\" call 0 comm 0 stage 0 gen 9\n"
                   "  phase 2 \"up\" call 1 comm 1 stage 0 gen 1\n"))
            .verdict == Verdict::Ok);
}

TEST_CASE("a gate that is ahead is closed", "[gates]") {
  Proof proof = prove(plan("  phase 1 \"down\" call 0 comm 0 stage 0 gen 4\n"
                           "  phase 2 \"up\" call 1 comm 0 stage 2 gen 4\n"));
  CHECK(proof.verdict == Verdict::Deadlock);
  CHECK(proof.text ==
        "calls.cpp:20: error: the gate of communicator 'pairs', group 0 (r0 r1) expects generation "
        "5 or later, got 4: reduce with user generation 2 enters it there for its phase 'up'\n"
        "calls.cpp:10: note: broadcast with user generation 1 has left it at 5, with its phase "
        "'down' of generation 4\n");
}

TEST_CASE("a phase without generation is not proved", "[gates]") {
  Proof proof = prove(plan("  phase 1 \"down\" call 0 comm 0 stage 0\n"
                           "  phase 2 \"up\" call 1 comm 0 stage 0 gen 4\n"));
  CHECK(proof.verdict == Verdict::Deadlock);
  CHECK(proof.text == "tool: error: phase 'down' of broadcast with user generation 1 has no "
                      "generation\n");
}

TEST_CASE("a threadblock does not go back", "[gates]") {
  Proof proof = prove(plan(good, {2, 1, 2, 1}));
  CHECK(proof.verdict == Verdict::Deadlock);
  CHECK(proof.text == "two.ccl:14:7: error: r0 tb0 step 1 (s) goes back to generation 1 of "
                      "communicator 'pairs'\n"
                      "two.ccl:13:7: note: r0 tb0 step 0 (s) has generation 4\n");
}

TEST_CASE("a message is received in the generation that it was sent in", "[gates]") {
  Proof proof = prove(plan(good, {1, 2, 1, 1}));
  CHECK(proof.verdict == Verdict::Deadlock);
  CHECK(proof.text ==
        "two.ccl:20:7: error: r1 tb0 step 1 (r) receives in generation 1 of communicator 'pairs' "
        "what was sent in generation 4 of communicator 'pairs': it waits for ever\n"
        "two.ccl:14:7: note: r0 tb0 step 1 (s) sends it\n");
  CHECK(StringRef(prove(plan(good, {0, 2, 1, 2})).text).contains("was sent in no generation"));
}

TEST_CASE("messages stay in a group", "[gates]") {
  Proof proof = prove(plan(good, {}, "[r0 r2] [r1]"));
  CHECK(proof.verdict == Verdict::Deadlock);
  CHECK(StringRef(proof.text)
            .contains("phase 'down' of broadcast with user generation 1 sends from r0 to r1, which "
                      "are not in one group of communicator 'pairs'"));
}
