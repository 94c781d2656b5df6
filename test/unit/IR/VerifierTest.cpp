//===- VerifierTest.cpp - Every structural rule of a plan, violated once --===//

#include "../../support/Lines.h"
#include "../../support/Text.h"

#include "cclc/IR/Connections.h"
#include "cclc/IR/Verifier.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// A plan of two ranks whose bodies are given; the first line of \p r0 is line 4.
std::string plan(const std::string &r0, const std::string &r1) {
  return R"(
    ccl.version 3
    exec.program @p coll allreduce ranks 2 chunks 4 inplace {
      rank 0 scratch 2 {
    )"_lines +
         r0 + "  }\n  rank 1 {\n" + r1 + "  }\n}\n";
}
const std::string none;

/// A plan that text cannot express, built with the builder.
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

TEST_CASE("a well-formed plan is accepted, with empty threadblocks") {
  CHECK(parseError(plan(R"(
        tb 0 send r1 ch 0 {
          0: s i[0]
        }
        tb 1 send r1 ch 0 {
        }
        tb 2 ch 0 {
        }
    )"_lines,
                        R"(
              tb 0 recv r0 ch 0 {
                0: r -> i[0]
              }
          )"_lines)) == "");
}

TEST_CASE("operands are present and in bounds for the whole range", "[structure-3][structure-4]") {
  CHECK(parseError(plan(R"(
        tb 0 ch 0 {
          0: cpy i[2:5] -> s[0:3]
        }
    )"_lines,
                        none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (cpy): source i[2:5] is out of range: the buffer has 4 "
        "chunks\n");
  CHECK(parseError(plan(R"(
        tb 0 ch 0 {
          0: nop
          1: cpy i[0:2] -> s[1:3]
        }
    )"_lines,
                        none)) == "t.ccl:6:7: error: r0 tb0 step 1 (cpy): destination s[1:3] is "
                                  "out of range: the buffer has 2 chunks\n");
  // Scratch sizes are per rank.
  CHECK(parseError(plan(none, R"(
        tb 0 ch 0 {
          0: cpy i[0] -> s[0]
        }
    )"_lines)) ==
        "t.ccl:7:7: error: r1 tb0 step 0 (cpy): destination s[0:1] is out of range: the buffer has "
        "0 chunks\n");
  CHECK(parseError(plan(R"(
        tb 0 ch 0 {
          0: re -> i[0]
        }
    )"_lines,
                        none)) == "t.ccl:5:7: error: r0 tb0 step 0 (re): has no source operand\n");
  CHECK(parseError(plan(R"(
        tb 0 ch 0 {
          0: re i[0]
        }
    )"_lines,
                        none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (re): has no destination operand\n");
  CHECK(parseError(plan(R"(
        tb 0 send r1 ch 0 {
          0: s
        }
    )"_lines,
                        none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (s): count must be at least 1\n");
}

TEST_CASE("source and destination of a step are the same cells or disjoint", "[structure-5]") {
  // One step on r1; if it receives, it receives two chunks. First out of place, then in place.
  auto errorOf = [](const std::string &collective, const std::string &step) {
    std::string sender = R"(
        rank 0 {
          tb 0 send r1 ch 0 {
            0: s i[0:2]
          }
        }
      )"_lines;
    std::string receiver =
        R"(
          rank 2 {
            tb 0 recv r1 ch 0 {
              0: r -> o[0:2]
            }
          }
        )"_lines;
    bool receives = step[0] == 'r' && step[1] == 'r', sends = StringRef(step).starts_with("rrcs");
    return parseError("ccl.version 2\nexec.program @p coll " + collective + " slots 8 {\n" +
                      (receives ? sender : "  rank 0 {\n  }\n") + "  rank 1 {\n    tb 0" +
                      (sends ? " send r2" : "") + (receives ? " recv r0" : "") +
                      " ch 0 {\n      0: " + step + R"(

              }
            }
          )"_lines + (sends ? receiver : "  rank 2 {\n  }\n") +
                      "}\n");
  };
  auto overlaps = [&](const std::string &collective, const std::string &step) {
    std::string text = errorOf(collective, step);
    INFO(collective << ": " << step << '\n' << text);
    CHECK((text.empty() || StringRef(text).contains("have no order")));
    return !text.empty();
  };
  const std::string reduce = "allreduce ranks 3 chunks 4 ", gather = "allgather ranks 3 chunks 2 ",
                    scatter = "reducescatter ranks 3 chunks 2 ";
  for (std::string op : {"cpy", "re", "rrc", "rrcs"}) {
    // In one buffer: under both placements.
    for (std::string placement : {"inplace", "outofplace", "inplace outofplace"}) {
      CHECK(overlaps(reduce + placement, op + " o[0:2] -> o[1:3]"));
      CHECK(overlaps(reduce + placement, op + " o[1:3] -> o[0:2]"));
      CHECK_FALSE(overlaps(reduce + placement, op + " o[0:2] -> o[2:4]"));
      CHECK_FALSE(overlaps(reduce + placement, op + " o[1:3] -> o[1:3]"));
    }
    // In two buffers: where they share memory, at the offset of the rank.
    CHECK_FALSE(overlaps(reduce + "outofplace", op + " i[0:2] -> o[1:3]"));
    CHECK(overlaps(reduce + "inplace", op + " i[0:2] -> o[1:3]"));
    CHECK(overlaps(reduce + "inplace outofplace", op + " i[0:2] -> o[1:3]"));
    CHECK_FALSE(overlaps(reduce + "inplace", op + " i[1:3] -> o[1:3]"));
    CHECK(overlaps(gather + "inplace", op + " i[0:2] -> o[1:3]"));
    CHECK_FALSE(overlaps(gather + "inplace", op + " i[0:2] -> o[2:4]"));
    CHECK(overlaps(gather + "inplace", op + " i[0:2] -> o[3:5]"));
    CHECK(overlaps(scatter + "inplace", op + " i[1:3] -> o[0:2]"));
    CHECK_FALSE(overlaps(scatter + "inplace", op + " i[0:2] -> o[0:2]"));
  }
  CHECK(errorOf(gather + "inplace", "cpy i[0:2] -> o[3:5]") ==
        "t.ccl:7:7: error: r1 tb0 step 0 (cpy): source i[0:2] and destination o[3:5] overlap in "
        "place, and the chunks of one step have no order\n");
}

TEST_CASE("a step has the peer that its instruction requires", "[structure-2]") {
  CHECK(parseError(plan(R"(
        tb 0 recv r1 ch 0 {
          0: s i[0]
        }
    )"_lines,
                        none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (s): sends, but its threadblock has no send peer\n");
  CHECK(parseError(plan(R"(
        tb 0 send r1 ch 0 {
          0: rrs i[0]
        }
    )"_lines,
                        none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (rrs): receives, but its threadblock has no receive "
        "peer\n");
  CHECK(parseError(plan("    tb 0 send r0 ch 0 {\n    }\n", none)) ==
        "t.ccl:4:5: error: r0 tb0: sends to its own rank\n");
  CHECK(parseError(plan(none, "    tb 0 recv r1 ch 0 {\n    }\n")) ==
        "t.ccl:6:5: error: r1 tb0: receives from its own rank\n");
}

TEST_CASE("peers out of range and counts of zero, which text cannot express", "[structure-1]") {
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

TEST_CASE("several peers ascend, and each has its messages", "[structure-1][structure-8]") {
  auto errors = [](const std::string &first, const std::string &second) {
    std::string text = "ccl.version 6\nexec.program @p coll allreduce ranks 3 chunks 1 inplace {\n"
                       "  rank 0 {\n    tb 0 " +
                       first + " ch 0 {\n      0: " + second + "\n    }\n  }\n";
    for (const char *rank : {"1", "2"})
      text += "  rank " + std::string(rank) +
              " {\n    tb 0 send r0 recv r0 ch 0 {\n      0: s i[0]\n      1: r -> i[0]\n    }\n  }\n";
    return parseError(text + "}\n");
  };
  CHECK(errors("send r1 r2 recv r1 r2", "rrcs i[0] -> i[0]") == "");
  CHECK(errors("send r2 r1 recv r1 r2", "rrcs i[0] -> i[0]") ==
        "t.ccl:4:5: error: r0 tb0: sends to r2 and then r1: the peers of a threadblock must ascend\n");
  CHECK(errors("send r1 r2 recv r2 r2", "rrcs i[0] -> i[0]") ==
        "t.ccl:4:5: error: r0 tb0: receives from r2 and then r2: the peers of a threadblock must "
        "ascend\n");
  CHECK(errors("send r0 r1 r2 recv r1 r2", "rrcs i[0] -> i[0]") ==
        "t.ccl:4:5: error: r0 tb0: sends to its own rank\n");
  CHECK(StringRef(errors("send r1 recv r1 r2", "rrcs i[0] -> i[0]"))
            .contains("r2 tb0 step 1 (r): "));
  CHECK(StringRef(errors("send r1 r2 recv r2", "rrcs i[0] -> i[0]"))
            .contains("r1 tb0 step 0 (s): "));
}

TEST_CASE("waits name existing steps that are published", "[structure-6]") {
  CHECK(parseError(plan(R"(
        tb 0 ch 0 {
          0: nop dep tb1:0
        }
    )"_lines,
                        none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (nop): waits for tb1, but r0 has 1 threadblocks\n");
  CHECK(parseError(plan(R"(
        tb 0 ch 0 {
          0: nop dep tb1:1
        }
        tb 1 ch 0 {
          0: nop pub
        }
    )"_lines,
                        none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (nop): waits for step 1 of tb1, which has 1 steps\n");
  CHECK(parseError(plan(R"(
        tb 0 ch 0 {
          0: nop dep tb1:1
        }
        tb 1 ch 0 {
          0: nop pub
          1: nop
        }
    )"_lines,
                        none)) ==
        "t.ccl:5:7: error: r0 tb0 step 0 (nop): waits for tb1 step 1, but neither that step nor a "
        "later one of tb1 publishes its completion\n");
  // The next later step that publishes is sufficient.
  CHECK(parseError(plan(R"(
        tb 0 ch 0 {
          0: nop dep tb1:0
        }
        tb 1 ch 0 {
          0: nop
          1: nop
          2: nop pub
        }
    )"_lines,
                        none)) == "");
}

TEST_CASE("a side of a connection belongs to one threadblock", "[structure-7]") {
  CHECK(parseError(plan(R"(
                  tb 0 send r1 ch 3 {
                    0: s i[0]
                  }
                  tb 1 send r1 ch 3 {
                    0: s i[0]
                  }
              )"_lines,
                        R"(
                     tb 0 recv r0 ch 3 {
                       0: r -> i[0]
                       1: r -> i[1]
                     }
                 )"_lines)) ==
        R"(
        t.ccl:7:5: error: r0 tb1: sends to r1 on channel 3, but tb0 owns that side of the connection
        t.ccl:4:5: note: tb0 is here
        )"_lines);
  CHECK(parseError(plan(R"(
        tb 0 send r1 ch 3 {
          0: s i[0]
          1: s i[0]
        }
    )"_lines,
                        R"(
              tb 0 recv r0 ch 3 {
                0: r -> i[0]
              }
              tb 1 recv r0 ch 3 {
                0: r -> i[1]
              }
          )"_lines)) ==
        "t.ccl:13:5: error: r1 tb1: receives from r0 on channel 3, but tb0 owns that side of the "
        "connection\n"
        "t.ccl:10:5: note: tb0 is here\n");
  // Another channel is another connection.
  CHECK(parseError(plan(R"(
        tb 0 send r1 ch 0 {
          0: s i[0]
        }
        tb 1 send r1 ch 1 {
          0: s i[0]
        }
    )"_lines,
                        R"(
              tb 0 recv r0 ch 1 {
                0: r -> i[0]
              }
              tb 1 recv r0 ch 0 {
                0: r -> i[1]
              }
          )"_lines)) == "");
}

TEST_CASE("every message is sent and received with the same size", "[structure-8]") {
  CHECK(parseError(plan(R"(
        tb 0 send r1 ch 0 {
          0: s i[0]
          1: s i[1]
        }
    )"_lines,
                        R"(
              tb 0 recv r0 ch 0 {
                0: r -> i[0]
              }
          )"_lines)) ==
        "t.ccl:6:7: error: r0 tb0 step 1 (s): message 1 to r1 on channel 0 is never received\n");
  CHECK(parseError(plan(R"(
        tb 0 send r1 ch 0 {
          0: s i[0]
        }
    )"_lines,
                        R"(
              tb 0 recv r0 ch 0 {
                0: r -> i[0]
                1: rrc i[0] -> i[0]
              }
          )"_lines)) ==
        "t.ccl:11:7: error: r1 tb0 step 1 (rrc): message 1 from r0 on channel 0 is never sent\n");
  CHECK(parseError(plan(none, R"(
        tb 0 recv r0 ch 5 {
          0: r -> i[0]
        }
    )"_lines)) ==
        "t.ccl:7:7: error: r1 tb0 step 0 (r): message 0 from r0 on channel 5 is never sent\n");
  CHECK(parseError(plan(R"(
        tb 0 send r1 ch 0 {
          0: s i[0:2]
        }
    )"_lines,
                        R"(
              tb 0 recv r0 ch 0 {
                0: r -> i[0]
              }
          )"_lines)) ==
        R"(
        t.ccl:10:7: error: r1 tb0 step 0 (r): receives 1 chunks, but message 0 from r0 has 2
        t.ccl:5:7: note: r0 tb0 step 0 sends it
        )"_lines);
}

TEST_CASE("sizes beyond the limits of the analyses are rejected") {
  CHECK(parseError(R"(
    ccl.version 3
    exec.program @p coll allreduce ranks 1 inplace {
      rank 0 scratch 268435456 {
      }
    }
    )"_lines) == "t.ccl: error: the plan has 268435458 cells, more than the limit of 268435456\n");
  std::string text = R"(
    ccl.version 3
    exec.program @p coll allreduce ranks 1 chunks 67108864 inplace {
      rank 0 {
        tb 0 ch 0 {
    )"_lines;
  for (int i = 0; i < 33; ++i)
    text += "      " + std::to_string(i) + ": cpy i[0:67108864] -> i[0:67108864]\n";
  CHECK(parseError(text + R"(
        }
      }
    }
    )"_lines) ==
        "t.ccl: error: the plan moves 2214592512 chunks, more than the limit of 2147483648\n");
}

TEST_CASE("connections and publishers of a plan") {
  auto p = parsed<ExecPlan>(plan(R"(
        tb 0 recv r1 ch 0 {
          0: r -> i[1]
        }
        tb 1 send r1 recv r1 ch 1 {
          0: nop
          1: s i[0] pub
          2: nop
          3: s i[2] pub
          4: nop
        }
    )"_lines,
                                 R"(
              tb 0 send r0 recv r0 ch 1 {
                0: r -> i[0]
                1: r -> i[2]
              }
              tb 1 send r0 ch 0 {
                0: s i[1]
              }
          )"_lines));
  ConnectionTable connections(p);
  REQUIRE(connections.size() == 2);
  CHECK(connections.connections()[0].senderTb == 1);
  CHECK(connections.connections()[0].receiverTb == 2);
  CHECK(connections.connections()[1].senderTb == 3);
  CHECK(connections.connections()[1].receiverTb == 0);
  // r1 tb0 has a send peer but sends no message.
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
