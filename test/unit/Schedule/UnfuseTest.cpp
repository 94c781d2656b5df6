//===- UnfuseTest.cpp - Fused steps split by the scheduler ----------------===//
//
// With one slot, some fused programs complete only if a fusion is undone: the
// sending half of a fused instruction, or a receive that was moved to the use of
// its value, becomes a separate step. The small programs below were reduced from
// random ones that need exactly one of the two, or both.
//
//===----------------------------------------------------------------------===//

#include "../../support/Interpreters.h"
#include "../../support/Lines.h"
#include "../../support/NaivePlan.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

using namespace cclc;
using namespace cclc::test;

namespace {
struct Scheduled {
  ExecPlan plan;
  uint64_t unfused;
};
Scheduled schedule(InstrProgram program, ScheduleOptions how) {
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<ExecPlan> plan = scheduleProgram(std::move(program), how, context);
  if (failed(plan))
    FAIL(messages(diags));
  return {std::move(*plan), context.statistics().at("schedule.unfused")};
}

InstrProgram instrsOf(const ChunkProgram &program) {
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<InstrProgram> instrs = optimised(ChunkProgram(program), true, context);
  REQUIRE(succeeded(instrs));
  return std::move(*instrs);
}

/// The number of halves that are separate steps of the plan. The location and the rank of a step
/// identify its instruction.
struct Apart {
  uint32_t sends = 0, receives = 0;
};
Apart countApart(const InstrProgram &program, const ExecPlan &plan) {
  using Key = std::pair<uint32_t, uint32_t>; // rank, line
  std::map<Key, OpKind> at, sendAt;
  for (const Instr &instr : program.instrs()) {
    at[{instr.rank.index(), program.info().locate(instr.loc).line}] = instr.op;
    if (instr.sendPos != instr.pos)
      sendAt[{instr.rank.index(), program.info().locate(instr.sendLoc).line}] = instr.op;
  }
  Apart apart;
  NaivePlan naive(plan);
  for (uint32_t s = 0; s < plan.steps().size(); ++s) {
    const Step &step = plan.steps()[s];
    Key key(naive.rankOf(s).index(), plan.info().locate(step.loc).line);
    if (step.op == OpKind::Send && sendAt.count(key))
      ++apart.sends;
    // A message that is used by a local step.
    if ((step.op == OpKind::Reduce || step.op == OpKind::Copy) && at.count(key) &&
        NaivePlan::doesReceive(at[key]) && !step.src.isNone() &&
        step.src.buffer() == Buffer::Scratch)
      ++apart.receives;
  }
  return apart;
}

void checkResult(const ChunkProgram &program, const ExecPlan &plan, Slots slots) {
  for (Placement placement : program.info().placements.list())
    for (uint64_t run = 0; run < 3; ++run) {
      std::optional<Outputs> outputs = executePlan(plan, placement, slots, run);
      if (!outputs || *outputs != executeDirectly(program, placement))
        FAIL((outputs ? "wrong data: " : "deadlock: ") << printed(program) << printed(plan));
    }
}

struct Expected {
  uint64_t unfused; ///< with one slot
  Apart apart;
};
std::string planWithOneSlot(const std::string &text, Expected expected) {
  auto program = parsed<ChunkProgram>("ccl.version 3\nchunk.program @p coll " + text);
  InstrProgram instrs = instrsOf(program);
  ScheduleOptions how;
  how.slots = Slots(1);
  Scheduled one = schedule(InstrProgram(instrs), how);
  CHECK(one.unfused == expected.unfused);
  Apart apart = countApart(instrs, one.plan);
  CHECK(apart.sends == expected.apart.sends);
  CHECK(apart.receives == expected.apart.receives);
  checkResult(program, one.plan, Slots(1));
  std::string all = printed(one.plan);
  return all.substr(all.find("{\n") + 2);
}
} // namespace

TEST_CASE("the sending half of a fused instruction is separated") {
  CHECK(planWithOneSlot(R"(
    allreduce ranks 2 chunks 4 inplace {
    %0 = copy r0:i[2:4] <- r1:i[2:4]
    %1 = reduce r1:i[0:3] += r0:i[0:3]
    %2 = copy r1:i[0:2] <- r0:i[2:4]
    }
    )"_lines,
                        {1, {1, 0}}) == R"(  rank 0 {
    tb 0 send r1 recv r1 ch 0 {
      0: r -> i[2:4]
      1: s i[0:3]
      2: s i[2:4]
    }
  }
  rank 1 {
    tb 0 send r0 ch 0 {
      0: s i[2:4] pub
    }
    tb 1 recv r0 ch 0 {
      0: rrc i[0:3] -> i[0:3] dep tb0:0
      1: r -> i[0:2]
    }
  }
}
)");
}

TEST_CASE("a receive that was moved to its use is separated") {
  CHECK(planWithOneSlot(R"(
    allreduce ranks 3 chunks 4 inplace {
    scratch "t" 1
    %0 = copy r1:i[2] <- r2:i[0]
    %1 = copy r2:"t"[0] <- r1:i[1]
    %2 = reduce r2:i[0:3] += r1:i[0:3]
    %3 = copy r2:i[2] <- r2:"t"[0]
    }
    )"_lines,
                        {1, {0, 1}}) == R"(  rank 0 {
  }
  rank 1 {
    tb 0 send r2 recv r2 ch 0 {
      0: s i[1]
      1: r -> i[2]
      2: s i[0:3]
    }
  }
  rank 2 scratch 1 {
    tb 0 send r1 ch 0 {
      0: s i[0] pub
    }
    tb 1 recv r1 ch 0 {
      0: r -> s[0]
      1: rrc i[0:3] -> i[0:3] dep tb0:0
      2: cpy s[0] -> i[2]
    }
  }
}
)");
}

TEST_CASE("one of each kind") {
  CHECK(planWithOneSlot(R"(
    allreduce ranks 2 chunks 1 inplace {
    scratch "t" 1
    %0 = copy r1:"t"[0] <- r0:i[0]
    %1 = reduce r0:i[0] += r1:i[0]
    %2 = reduce r1:i[0] += r0:i[0]
    %3 = reduce r1:i[0] += r1:"t"[0]
    }
    )"_lines,
                        {2, {1, 1}}) == R"(  rank 0 {
    tb 0 send r1 recv r1 ch 0 {
      0: s i[0]
      1: rrc i[0] -> i[0]
      2: s i[0]
    }
  }
  rank 1 scratch 1 {
    tb 0 send r0 ch 0 {
      0: s i[0] pub
    }
    tb 1 recv r0 ch 0 {
      0: r -> s[0]
      1: rrc i[0] -> i[0] dep tb0:0
      2: re s[0] -> i[0]
    }
  }
}
)");
}

TEST_CASE("a fused instruction of which both halves are separated") {
  CHECK(planWithOneSlot(R"(
    allgather ranks 2 chunks 2 inplace {
    scratch "t" 1
    %0 = copy r0:i[0] <- r0:i[1]
    %1 = copy r1:"t"[0] <- r0:i[1]
    %2 = copy r1:i[0:2] <- r0:i[0:2]
    %3 = reduce r1:i[1] += r1:"t"[0]
    %4 = copy r0:o[2] <- r1:o[3]
    }
    )"_lines,
                        {2, {1, 1}}) == R"(  rank 0 {
    tb 0 send r1 ch 0 {
      0: cpy o[1] -> o[0]
      1: s o[1]
      2: s o[0:2]
    }
    tb 1 recv r1 ch 0 {
      0: r -> o[2]
    }
  }
  rank 1 scratch 1 {
    tb 0 send r0 recv r0 ch 0 {
      0: r -> s[0]
      1: r -> o[2:4]
      2: re s[0] -> o[3]
      3: s o[3]
    }
  }
}
)");
}

TEST_CASE("a chain that visits a rank twice with different neighbours") {
  // r0 -> r1 -> r2, and r0 -> r1 -> r3 on the only channel: r1 cannot fuse both.
  const std::string text = R"(
    ccl.version 3
    chunk.program @p coll broadcast ranks 4 chunks 2 inplace {
    %0 = copy r1:i[0] <- r0:i[0]
    %1 = copy r2:i[0] <- r1:i[0]
    %2 = copy r1:i[1] <- r0:i[1]
    %3 = copy r3:i[1] <- r1:i[1]
    }
    )"_lines;
  auto program = parsed<ChunkProgram>(text);
  ScheduleOptions how;
  Scheduled two = schedule(instrsOf(program), how);
  CHECK(two.unfused == 0);
  CHECK(two.plan.channels() == 2);
  checkResult(program, two.plan, how.slots);
  how.maxChannels = 1;
  Scheduled one = schedule(instrsOf(program), how);
  CHECK(one.unfused == 1);
  CHECK(one.plan.channels() == 1);
  checkResult(program, one.plan, how.slots);
}

TEST_CASE("random programs with one slot need both kinds and stay correct", "[property]") {
  uint32_t sends = 0, receives = 0, more = 0;
  for (uint64_t seed = 0; seed < scaled(5000); ++seed) {
    INFO("seed " << seed);
    ChunkProgram program = randomProgram(seed);
    InstrProgram instrs = instrsOf(program);
    ScheduleOptions how;
    how.slots = Slots(1);
    Scheduled one = schedule(InstrProgram(instrs), how);
    if (one.unfused == 0)
      continue;
    ++more;
    Apart apart = countApart(instrs, one.plan);
    sends += apart.sends > 0;
    receives += apart.receives > 0;
    checkResult(program, one.plan, Slots(1));
  }
  CHECK(more > 100);
  CHECK(sends > 100);
  CHECK(receives > 10);
}
