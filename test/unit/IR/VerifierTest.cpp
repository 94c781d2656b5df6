//===- VerifierTest.cpp - Every rule of a plan, broken once ---------------===//

#include "../../support/Text.h"

#include "cclc/IR/Connections.h"
#include "cclc/IR/Verifier.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// A plan of two ranks whose bodies are given; the first line of \p r0 is line 4.
std::string plan(const std::string &r0, const std::string &r1) {
  return "ccl.version 2\n"
         "exec.program @p coll allreduce ranks 2 chunks 4 inplace {\n"
         "  rank 0 scratch 2 {\n" +
         r0 + "  }\n  rank 1 {\n" + r1 + "  }\n}\n";
}
const std::string none;

/// A plan that text cannot express, built by hand.
struct ByHand {
  ProgramInfo info{Collective(CollectiveKind::AllReduce, 2, 4)};
  LocId loc = info.locs.intern("a.cpp", 9);
  ExecPlanBuilder builder{info};
  DiagnosticEngine diags;

  std::string finish() {
    CHECK(failed(std::move(builder).finish(diags)));
    return messages(diags);
  }
};
} // namespace

TEST_CASE("a plan without fault is accepted, empty threadblocks and all") {
  CHECK(parseError(plan("    tb 0 send r1 ch 0 {\n      0: s i[0]\n    }\n"
                        "    tb 1 send r1 ch 0 {\n    }\n    tb 2 ch 0 {\n    }\n",
                        "    tb 0 recv r0 ch 0 {\n      0: r -> i[0]\n    }\n")) == "");
}

TEST_CASE("operands must be there and in bounds for the whole range") {
  CHECK(parseError(plan("    tb 0 ch 0 {\n      0: cpy i[2:5] -> s[0:3]\n    }\n", none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (cpy): source i[2:5] is out of bounds: the buffer has 4 "
        "chunks\n");
  CHECK(parseError(
            plan("    tb 0 ch 0 {\n      0: nop\n      1: cpy i[0:2] -> s[1:3]\n    }\n", none)) ==
        "t.ccl:6:7: error: r0 tb0 step 1 (cpy): destination s[1:3] is out of bounds: the buffer "
        "has 2 chunks\n");
  // Scratch is per rank.
  CHECK(parseError(plan(none, "    tb 0 ch 0 {\n      0: cpy i[0] -> s[0]\n    }\n")) ==
        "t.ccl:7:7: error: r1 tb0 step 0 (cpy): destination s[0:1] is out of bounds: the buffer "
        "has 0 chunks\n");
  CHECK(parseError(plan("    tb 0 ch 0 {\n      0: re -> i[0]\n    }\n", none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (re): has no source operand\n");
  CHECK(parseError(plan("    tb 0 ch 0 {\n      0: re i[0]\n    }\n", none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (re): has no destination operand\n");
  CHECK(parseError(plan("    tb 0 send r1 ch 0 {\n      0: s\n    }\n", none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (s): count must be at least 1\n");
}

TEST_CASE("a step needs the peer that its instruction uses") {
  CHECK(parseError(plan("    tb 0 recv r1 ch 0 {\n      0: s i[0]\n    }\n", none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (s): sends, but its threadblock has no send peer\n");
  CHECK(parseError(plan("    tb 0 send r1 ch 0 {\n      0: rrs i[0]\n    }\n", none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (rrs): receives, but its threadblock has no receive "
        "peer\n");
  CHECK(parseError(plan("    tb 0 send r0 ch 0 {\n    }\n", none)) ==
        "t.ccl:4:5: error: r0 tb0: sends to its own rank\n");
  CHECK(parseError(plan(none, "    tb 0 recv r1 ch 0 {\n    }\n")) ==
        "t.ccl:6:5: error: r1 tb0: receives from its own rank\n");
}

TEST_CASE("peers beyond the ranks and counts of zero, which text cannot express") {
  ByHand send;
  send.builder.beginThreadblock(RankId(0), RankId(2), {}, ChannelId(0));
  CHECK(send.finish() == "tool: error: r0 tb0: sends to rank 2, but there are 2 ranks\n");
  ByHand recv;
  recv.builder.beginThreadblock(RankId(1), {}, RankId(7), ChannelId(0));
  recv.builder.addStep(Step(OpKind::Nop, {}, {}, 0, recv.loc, recv.loc));
  CHECK(recv.finish() == "a.cpp:9: error: r1 tb0: receives from rank 7, but there are 2 ranks\n");
  ByHand count;
  count.builder.beginThreadblock(RankId(0), {}, {}, ChannelId(0));
  Operand cell(Buffer::Input, 0);
  count.builder.addStep(Step(OpKind::Copy, cell, cell, 0, count.loc, count.loc));
  CHECK(count.finish() == "a.cpp:9: error: r0 tb0 step 0 (cpy): count must be at least 1\n");
}

TEST_CASE("waits name steps that exist and that somebody announces") {
  CHECK(parseError(plan("    tb 0 ch 0 {\n      0: nop dep tb1:0\n    }\n", none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (nop): waits for tb1, but r0 has 1 threadblocks\n");
  CHECK(parseError(plan("    tb 0 ch 0 {\n      0: nop dep tb1:1\n    }\n"
                        "    tb 1 ch 0 {\n      0: nop pub\n    }\n",
                        none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (nop): waits for step 1 of tb1, which has 1 steps\n");
  CHECK(parseError(plan("    tb 0 ch 0 {\n      0: nop dep tb1:1\n    }\n"
                        "    tb 1 ch 0 {\n      0: nop pub\n      1: nop\n    }\n",
                        none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (nop): waits for tb1 step 1, but neither that step nor a "
        "later one of tb1 publishes its completion\n");
  // The next later step that publishes will do.
  CHECK(parseError(plan("    tb 0 ch 0 {\n      0: nop dep tb1:0\n    }\n"
                        "    tb 1 ch 0 {\n      0: nop\n      1: nop\n      2: nop pub\n    }\n",
                        none)) == "");
}

TEST_CASE("a side of a connection belongs to one threadblock") {
  CHECK(parseError(
            plan("    tb 0 send r1 ch 3 {\n      0: s i[0]\n    }\n"
                 "    tb 1 send r1 ch 3 {\n      0: s i[0]\n    }\n",
                 "    tb 0 recv r0 ch 3 {\n      0: r -> i[0]\n      1: r -> i[1]\n    }\n")) ==
        "t.ccl:7:5: error: r0 tb1: sends to r1 on channel 3, but tb0 owns that side of the "
        "connection\n"
        "t.ccl:4:5: note: tb0 is here\n");
  CHECK(parseError(plan("    tb 0 send r1 ch 3 {\n      0: s i[0]\n      1: s i[0]\n    }\n",
                        "    tb 0 recv r0 ch 3 {\n      0: r -> i[0]\n    }\n"
                        "    tb 1 recv r0 ch 3 {\n      0: r -> i[1]\n    }\n")) ==
        "t.ccl:13:5: error: r1 tb1: receives from r0 on channel 3, but tb0 owns that side of the "
        "connection\n"
        "t.ccl:10:5: note: tb0 is here\n");
  // Another channel is another connection.
  CHECK(parseError(plan("    tb 0 send r1 ch 0 {\n      0: s i[0]\n    }\n"
                        "    tb 1 send r1 ch 1 {\n      0: s i[0]\n    }\n",
                        "    tb 0 recv r0 ch 1 {\n      0: r -> i[0]\n    }\n"
                        "    tb 1 recv r0 ch 0 {\n      0: r -> i[1]\n    }\n")) == "");
}

TEST_CASE("every message is sent, received, and of one size") {
  CHECK(parseError(plan("    tb 0 send r1 ch 0 {\n      0: s i[0]\n      1: s i[1]\n    }\n",
                        "    tb 0 recv r0 ch 0 {\n      0: r -> i[0]\n    }\n")) ==
        "t.ccl:6:7: error: r0 tb0 step 1 (s): message 1 to r1 on channel 0 is never received\n");
  CHECK(parseError(plan("    tb 0 send r1 ch 0 {\n      0: s i[0]\n    }\n",
                        "    tb 0 recv r0 ch 0 {\n      0: r -> i[0]\n      1: rrc i[0] -> i[0]\n"
                        "    }\n")) ==
        "t.ccl:11:7: error: r1 tb0 step 1 (rrc): message 1 from r0 on channel 0 is never sent\n");
  CHECK(parseError(plan(none, "    tb 0 recv r0 ch 5 {\n      0: r -> i[0]\n    }\n")) ==
        "t.ccl:7:7: error: r1 tb0 step 0 (r): message 0 from r0 on channel 5 is never sent\n");
  CHECK(parseError(plan("    tb 0 send r1 ch 0 {\n      0: s i[0:2]\n    }\n",
                        "    tb 0 recv r0 ch 0 {\n      0: r -> i[0]\n    }\n")) ==
        "t.ccl:10:7: error: r1 tb0 step 0 (r): receives 1 chunks, but message 0 from r0 has 2\n"
        "t.ccl:5:7: note: r0 tb0 step 0 sends it\n");
}

TEST_CASE("sizes that no analysis could hold are refused") {
  CHECK(parseError("ccl.version 2\nexec.program @p coll allreduce ranks 1 inplace {\n"
                   "  rank 0 scratch 134217728 {\n  }\n}\n") ==
        "t.ccl: error: the plan has 134217730 cells, more than the limit of 134217728\n");
  std::string text = "ccl.version 2\n"
                     "exec.program @p coll allreduce ranks 1 chunks 67108864 inplace {\n"
                     "  rank 0 {\n    tb 0 ch 0 {\n";
  for (int i = 0; i < 65; ++i)
    text += "      " + std::to_string(i) + ": cpy i[0:67108864] -> i[0:67108864]\n";
  CHECK(parseError(text + "    }\n  }\n}\n") ==
        "t.ccl: error: the plan moves 4362076160 chunks, more than the limit of 4294967296\n");
}

TEST_CASE("connections and publishers of a plan") {
  auto p = parsed<ExecPlan>(plan("    tb 0 recv r1 ch 0 {\n      0: r -> i[1]\n    }\n"
                                 "    tb 1 send r1 recv r1 ch 1 {\n      0: nop\n      1: s i[0] "
                                 "pub\n      2: nop\n      3: s i[2] pub\n      4: nop\n    }\n",
                                 "    tb 0 send r0 recv r0 ch 1 {\n      0: r -> i[0]\n      1: r "
                                 "-> i[2]\n    }\n    tb 1 send r0 ch 0 {\n      0: s i[1]\n    "
                                 "}\n"));
  ConnectionTable connections(p);
  REQUIRE(connections.size() == 2);
  CHECK(connections.connections()[0].senderTb == 1);
  CHECK(connections.connections()[0].receiverTb == 2);
  CHECK(connections.connections()[1].senderTb == 3);
  CHECK(connections.connections()[1].receiverTb == 0);
  // r1 tb0 has a send peer, but sends nothing.
  CHECK_FALSE(connections.sendOf(2));
  CHECK(connections.recvOf(2) == ConnectionId(0));
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  forEachMessage(p, connections.connections()[0],
                 [&](uint32_t send, uint32_t recv) { pairs.emplace_back(send, recv); });
  CHECK(pairs == std::vector<std::pair<uint32_t, uint32_t>>{{2, 6}, {4, 7}});

  std::vector<OptionalId<StepId>> publishers = findPublishers(p);
  CHECK_FALSE(publishers[0]);
  CHECK(publishers[1] == StepId(2));
  CHECK(publishers[2] == StepId(2));
  CHECK(publishers[3] == StepId(4));
  CHECK(publishers[4] == StepId(4));
  CHECK_FALSE(publishers[5]);
  CHECK(p.maxCount() == 1);
  CHECK(p.channels() == 2);
  CHECK(p.localId(3) == ThreadblockId(1));
}
