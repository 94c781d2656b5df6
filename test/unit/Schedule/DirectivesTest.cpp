//===- DirectivesTest.cpp - Directives are followed or rejected -----------===//

#include "../../support/Lines.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

#include <map>
#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {
std::string planned(const std::string &text, ScheduleOptions how = {}) {
  auto program = parsed<ChunkProgram>("ccl.version 3\nchunk.program @p coll " + text);
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<InstrProgram> instrs = optimised(std::move(program), true, context);
  REQUIRE(succeeded(instrs));
  FailureOr<ExecPlan> plan = scheduleProgram(std::move(*instrs), how, context);
  CHECK(failed(plan) == diags.hasErrors());
  if (failed(plan))
    return messages(diags);
  std::string all = printed(*plan);
  return all.substr(all.find("{\n") + 2);
}
} // namespace

TEST_CASE("operations use the channel and threadblocks of their directives") {
  CHECK(planned(R"(
    allreduce ranks 2 inplace {
    %0 = copy r1:i[0] <- r0:i[0] ch 7 sendtb 0 recvtb 1
    %1 = copy r0:i[0] <- r1:i[0] ch 5 sendtb 0 recvtb 1
    }
    )"_lines) ==
        R"(
          rank 0 {
            tb 0 send r1 ch 7 {
              0: s i[0] pub
            }
            tb 1 recv r1 ch 5 {
              0: r -> i[0] dep tb0:0
            }
          }
          rank 1 {
            tb 0 send r0 ch 5 {
              0: s i[0] dep tb1:0
            }
            tb 1 recv r0 ch 7 {
              0: r -> i[0] pub
            }
          }
        }
        )"_lines);
  // Local operations, in a threadblock with messages and in one without.
  CHECK(planned(R"(
    allreduce ranks 2 chunks 4 inplace {
    %0 = copy r0:i[1] <- r0:i[0] sendtb 1
    %1 = copy r1:i[0] <- r0:i[0] sendtb 0
    %2 = copy r0:i[3] <- r0:i[2] sendtb 0
    }
    )"_lines) == R"(
                    rank 0 {
                      tb 0 send r1 ch 0 {
                        0: s i[0]
                        1: cpy i[2] -> i[3]
                      }
                      tb 1 ch 0 {
                        0: cpy i[0] -> i[1]
                      }
                    }
                    rank 1 {
                      tb 0 recv r0 ch 0 {
                        0: r -> i[0]
                      }
                    }
                  }
                  )"_lines);
}

TEST_CASE("contradictions are rejected with the two operations") {
  CHECK(planned(R"(
    allreduce ranks 3 inplace {
    %0 = copy r1:i[0] <- r0:i[0] sendtb 0
    %1 = copy r2:i[0] <- r0:i[0] sendtb 0
    }
    )"_lines) ==
        R"(
        t.ccl:4:1: error: threadblock tb0 on r0 already sends to r1, cannot also send to r2
        t.ccl:3:1: note: it does so here
        )"_lines);
  CHECK(planned(R"(
    allreduce ranks 3 chunks 2 inplace {
    %0 = copy r2:i[0] <- r0:i[0] recvtb 1
    %1 = copy r2:i[1] <- r1:i[0] recvtb 1
    %2 = copy r2:i[0] <- r0:i[0] recvtb 0
    }
    )"_lines) ==
        R"(
    t.ccl:4:1: error: threadblock tb1 on r2 already receives from r0, cannot also receive from r1
    t.ccl:3:1: note: it does so here
    )"_lines);
  CHECK(planned(R"(
    allreduce ranks 2 chunks 2 inplace {
    %0 = copy r1:i[0] <- r0:i[0] ch 3 sendtb 0
    %1 = copy r1:i[1] <- r0:i[1] ch 3 sendtb 1
    }
    )"_lines) ==
        "t.ccl:4:1: error: threadblock tb1 on r0 cannot send to r1 on channel 3: threadblock tb0 "
        "owns that side of the connection\n"
        "t.ccl:3:1: note: it does so here\n");
  CHECK(planned(R"(
    allreduce ranks 2 chunks 2 inplace {
    %0 = copy r1:i[0] <- r0:i[0] ch 3 recvtb 0
    %1 = copy r1:i[1] <- r0:i[1] ch 3 recvtb 1
    }
    )"_lines) ==
        "t.ccl:4:1: error: threadblock tb1 on r1 cannot receive from r0 on channel 3: threadblock "
        "tb0 owns that side of the connection\n"
        "t.ccl:3:1: note: it does so here\n");
  CHECK(planned(R"(
    allreduce ranks 2 chunks 2 inplace {
    %0 = copy r1:i[0] <- r0:i[0] ch 3 sendtb 0
    %1 = copy r1:i[1] <- r0:i[1] ch 4 sendtb 0
    }
    )"_lines) ==
        "t.ccl:4:1: error: the operation is fixed to channel 4, but its threadblock is on channel "
        "3\n");
  CHECK(planned(R"(
    allreduce ranks 2 chunks 2 inplace {
    %0 = copy r1:i[0] <- r0:i[0] ch 3 sendtb 0
    %1 = copy r0:i[1] <- r0:i[0] ch 4 sendtb 0
    }
    )"_lines) ==
        "t.ccl:4:1: error: the operation is fixed to channel 4, but its threadblock tb0 on r0 is "
        "on channel 3\n");
  CHECK(planned(R"(
    allreduce ranks 2 chunks 2 inplace {
    %0 = copy r1:i[0] <- r0:i[0] sendtb 2
    }
    )"_lines) == "tool: error: threadblock ids must be dense: r0 uses tb2, but has no tb0\n");
}

TEST_CASE("threadblocks without a fixed number fill the gaps") {
  // tb1 is fixed; the other connections get 0 and 2.
  std::string plan = planned(R"(
    allreduce ranks 4 inplace {
    %0 = copy r1:i[0] <- r0:i[0]
    %1 = copy r2:i[0] <- r0:i[0] sendtb 1
    %2 = copy r3:i[0] <- r0:i[0]
    }
    )"_lines);
  CHECK_THAT(plan, Catch::Contains("tb 0 send r1 ch 0"));
  CHECK_THAT(plan, Catch::Contains("tb 1 send r2 ch 0"));
  CHECK_THAT(plan, Catch::Contains("tb 2 send r3 ch 0"));
}

TEST_CASE("fixed channels may exceed the limit, others may not") {
  ScheduleOptions how;
  how.maxChannels = 1;
  std::string plan = planned(R"(
    allreduce ranks 3 chunks 4 inplace {
    %0 = copy r1:i[0] <- r0:i[0] ch 9
    %1 = copy r1:i[1] <- r0:i[1]
    %2 = copy r2:i[1] <- r1:i[1]
    %3 = copy r0:i[2] <- r1:i[2]
    %4 = copy r1:i[2] <- r2:i[3]
    }
    )"_lines,
                             how);
  for (int channel = 1; channel < 9; ++channel)
    CHECK_THAT(plan, !Catch::Contains("ch " + std::to_string(channel) + " {"));
  CHECK_THAT(plan, Catch::Contains("ch 9 {"));
}

TEST_CASE("random directives are followed exactly", "[property]") {
  uint32_t channels = 0, threadblocks = 0;
  for (uint64_t seed = 0; seed < scaled(600); ++seed) {
    INFO("seed " << seed);
    RandomProgramOptions options;
    options.directives = true;
    ChunkProgram program = randomProgram(seed + 110000, options);
    // The location of an operation is its number, which identifies its steps in the plan.
    std::map<uint32_t, Directive> wanted;
    std::map<uint32_t, const ChunkOp *> opOf;
    for (const ChunkOp &op : program.ops()) {
      wanted[program.info().locate(op.loc).line] = program.info().directives[op.directive];
      opOf[program.info().locate(op.loc).line] = &op;
    }
    DiagnosticEngine diags;
    PassContext context(diags);
    FailureOr<InstrProgram> instrs = optimised(ChunkProgram(program), seed % 2, context);
    REQUIRE(succeeded(instrs));
    ScheduleOptions how;
    how.slots = Slots(1 + seed % 3);
    FailureOr<ExecPlan> plan = scheduleProgram(std::move(*instrs), how, context);
    if (failed(plan))
      FAIL(messages(diags));
    for (uint32_t t = 0; t < plan->threadblocks().size(); ++t) {
      const Threadblock &tb = plan->threadblocks()[t];
      uint32_t id = plan->localId(t).index();
      for (const Step &step : plan->steps(tb)) {
        const OpTraits &op = traits(step.op);
        if (op.receives) {
          const Directive &d = wanted.at(plan->info().locate(step.loc).line);
          REQUIRE((!d.channel || *d.channel == tb.channel.index()));
          REQUIRE((!d.recvTb || *d.recvTb == id));
          channels += d.channel.has_value();
          threadblocks += d.recvTb.has_value();
        }
        if (op.sends) {
          const Directive &d = wanted.at(plan->info().locate(step.sendLoc).line);
          REQUIRE((!d.channel || *d.channel == tb.channel.index()));
          REQUIRE((!d.sendTb || *d.sendTb == id));
          channels += d.channel.has_value();
          threadblocks += d.sendTb.has_value();
        }
        if (!op.communicates() && step.op != OpKind::Nop) {
          // A reduce or copy split from its receive follows the directive of the message.
          uint32_t line = plan->info().locate(step.loc).line;
          const Directive &d = wanted.at(line);
          if (opOf[line]->isLocal())
            REQUIRE((!d.sendTb || *d.sendTb == id));
        }
      }
    }
  }
  CHECK(channels > 1000);
  CHECK(threadblocks > 1000);
}

TEST_CASE("among ready operations the one of highest priority is scheduled first") {
  // Chunk 2 is sent before chunks 0 and 1, and 1 before 0; the receives have the same order.
  CHECK(planned(R"(
    allreduce ranks 2 chunks 3 inplace {
    %0 = copy r1:i[0] <- r0:i[0]
    %1 = copy r1:i[1] <- r0:i[1] prio 1
    %2 = copy r1:i[2] <- r0:i[2] prio 7
    }
    )"_lines) == R"(
                    rank 0 {
                      tb 0 send r1 ch 0 {
                        0: s i[2]
                        1: s i[1]
                        2: s i[0]
                      }
                    }
                    rank 1 {
                      tb 0 recv r0 ch 0 {
                        0: r -> i[2]
                        1: r -> i[1]
                        2: r -> i[0]
                      }
                    }
                  }
                  )"_lines);
  // The priority takes precedence over the position in the program's graph and over the number of
  // dependent operations, but not over dependences.
  const std::string plan = planned(R"(
    allreduce ranks 3 chunks 3 inplace {
    %0 = reduce r0:i[1] += r0:i[2]
    %1 = copy r1:i[0] <- r0:i[0]
    %2 = copy r2:i[0] <- r1:i[0]
    %3 = copy r1:i[1] <- r0:i[1] prio 1
    }
    )"_lines);
  CHECK(plan.substr(0, plan.find("  rank 1")) == R"(
      rank 0 {
        tb 0 send r1 ch 0 {
          0: re i[2] -> i[1]
          1: s i[1]
          2: s i[0]
        }
      }
    )"_lines);
}
