//===- CutTest.cpp - Cutting plans to limits of steps ---------------------===//

#include "../../support/Lines.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

#include "cclc/Proof/PlanVerifier.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// The plan of a program, which need not implement its collective.
ExecPlan scheduled(const std::string &text, const ScheduleOptions &how) {
  auto program = parsed<ChunkProgram>("ccl.version 3\nchunk.program @p coll " + text);
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<InstrProgram> instrs = optimised(std::move(program), /*fused=*/true, context);
  REQUIRE(succeeded(instrs));
  FailureOr<ExecPlan> plan = scheduleProgram(std::move(*instrs), how, context);
  if (failed(plan))
    FAIL(messages(diags));
  return std::move(*plan);
}

/// The same, proved.
ExecPlan planOf(const std::string &text, const ScheduleOptions &how) {
  ExecPlan plan = scheduled(text, how);
  DiagnosticEngine diags;
  if (verifyPlan(plan, how.slots, diags).verdict != Verdict::Ok)
    FAIL(messages(diags));
  return plan;
}

/// Each of \p chunks chunks is sent from rank 0 through rank 1 to rank 2.
std::string pipeline(uint32_t chunks, const std::string &first = "") {
  std::string text = "broadcast ranks 3 chunks " + std::to_string(chunks) + " root r0 inplace {\n";
  for (uint32_t c = 0; c < chunks; ++c) {
    std::string at = ":i[" + std::to_string(c) + "]";
    std::string one = std::to_string(2 * c), two = std::to_string(2 * c + 1);
    text += "%" + one + " = copy r1" + at + " <- r0" + at + first + "\n";
    text += "%" + two + " = copy r2" + at + " <- r1" + at + "\n";
  }
  return text + "}\n";
}

/// The chunks that a threadblock sends or receives, in order.
std::vector<uint32_t> chunksOf(const ExecPlan &plan, const Threadblock &tb) {
  std::vector<uint32_t> chunks;
  for (const Step &step : plan.steps(tb))
    chunks.push_back((step.src.isNone() ? step.dst : step.src).index());
  return chunks;
}

uint32_t longest(const ExecPlan &plan) {
  uint32_t most = 0;
  for (const Threadblock &tb : plan.threadblocks())
    most = std::max(most, tb.numSteps);
  return most;
}

uint32_t mostThreadblocks(const ExecPlan &plan) {
  uint32_t most = 0;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    most = std::max(most, plan.numThreadblocks(RankId(r)));
  return most;
}

ScheduleOptions shortThreadblocks(uint32_t steps) {
  ScheduleOptions how;
  how.maxSteps = steps;
  return how;
}
} // namespace

TEST_CASE("excess steps of a threadblock continue on another channel") {
  CHECK(planOf(pipeline(10), shortThreadblocks(10)).channels() == 1);
  ExecPlan plan = planOf(pipeline(10), shortThreadblocks(4));
  CHECK(plan.channels() == 3);
  const std::vector<std::vector<uint32_t>> parts = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}};
  for (uint32_t r = 0; r < 3; ++r) {
    REQUIRE(plan.numThreadblocks(RankId(r)) == 3);
    for (uint32_t t = 0; t < 3; ++t) {
      const Threadblock &tb = plan.threadblocks(RankId(r))[t];
      CHECK(tb.channel == ChannelId(t));
      CHECK(chunksOf(plan, tb) == parts[t]);
    }
  }
  // No step is split: rank 1 receives and sends in one step.
  for (const Threadblock &tb : plan.threadblocks(RankId(1)))
    for (const Step &step : plan.steps(tb))
      CHECK(step.op == OpKind::RecvCopySend);
}

TEST_CASE("a limit of steps that cannot be met is ignored") {
  ScheduleOptions how = shortThreadblocks(4);
  how.maxChannels = 2;
  CHECK(printed(planOf(pipeline(10), how)) == printed(planOf(pipeline(10), {})));
  how.maxChannels = 32;
  how.maxThreadblocks = 2;
  CHECK(planOf(pipeline(10), how).channels() == 1);
}

TEST_CASE("threadblocks fixed by the user are not cut") {
  ExecPlan plan = planOf(pipeline(10, " sendtb 0 recvtb 0"), shortThreadblocks(4));
  CHECK(plan.numThreadblocks(RankId(0)) == 1);
  CHECK(plan.steps(plan.threadblocks(RankId(0))[0]).size() == 10);
}

TEST_CASE("channels that the program fixes are cut only if they may be changed") {
  ScheduleOptions how = shortThreadblocks(4);
  CHECK(planOf(pipeline(10, " ch 5"), how).channels() == 6);
  how.keepChannels = false;
  CHECK(printed(planOf(pipeline(10, " ch 5"), how)).find("ch 5") == std::string::npos);
  CHECK(longest(planOf(pipeline(10, " ch 5"), how)) <= 4);
}

TEST_CASE("threadblocks are unfused and filled if a rank would have too many") {
  // Rank 2 forwards two chunks from each of two ranks to each of two others. A threadblock for each
  // of these four ways can do so with fused steps.
  std::string text = "alltoall ranks 5 chunks 2 outofplace {\n";
  uint32_t op = 0;
  for (uint32_t c = 0; c < 2; ++c)
    for (uint32_t from : {0, 1})
      for (uint32_t to : {3, 4}) {
        std::string cell = ":o[" + std::to_string(2 * from + c) + "]";
        std::string source = std::to_string(from) + ":i[" + std::to_string(2 * to + c) + "]";
        std::string place = ":o[" + std::to_string(op / 2) + "]";
        text += "%" + std::to_string(op++) + " = copy r2" + place + " <- r" + source + "\n";
        text += "%" + std::to_string(op++) + " = copy r" + std::to_string(to) + cell + " <- r2" +
                place + "\n";
      }
  text += "}\n";
  ScheduleOptions how = shortThreadblocks(8);
  CHECK(mostThreadblocks(scheduled(text, how)) == 4);
  how.maxThreadblocks = 2;
  ExecPlan plan = scheduled(text, how);
  CHECK(mostThreadblocks(plan) == 2);
  CHECK(longest(plan) <= 8);
}

// A receive with a reduction takes two steps, a send one: with threadblocks of 9 steps, 12 messages
// each way take 3 threadblocks for 4 receives and 3 for sends, or 4 for 3 of both.
TEST_CASE("connections are shortened until both directions fit one threadblock") {
  std::string text = "reducescatter ranks 2 chunks 12 inplace {\n";
  for (uint32_t c = 0; c < 24; ++c) {
    std::string at = ":i[" + std::to_string(c) + "]", to = c < 12 ? "0" : "1";
    text += "%" + std::to_string(c) + " = reduce r" + to + at + " += r" + (c < 12 ? "1" : "0") +
            at + "\n";
  }
  text += "}\n";
  auto longestSplit = [](const ExecPlan &plan) {
    uint32_t most = 0;
    for (const Threadblock &tb : plan.threadblocks()) {
      uint32_t steps = 0;
      for (const Step &step : plan.steps(tb))
        steps += step.op == OpKind::RecvReduceCopy ? 2 : 1;
      most = std::max(most, steps);
    }
    return most;
  };
  ScheduleOptions how = shortThreadblocks(9);
  how.splitsFused = true;
  ExecPlan wide = planOf(text, how);
  CHECK(longestSplit(wide) <= 9);
  CHECK(mostThreadblocks(wide) == 6);
  how.maxThreadblocks = 4;
  ExecPlan dense = planOf(text, how);
  CHECK(longestSplit(dense) == 9);
  CHECK(mostThreadblocks(dense) == 4);
  // Fewer than 36 steps in threadblocks of 9 are impossible.
  how.maxThreadblocks = 3;
  CHECK(longestSplit(planOf(text, how)) > 9);
}

TEST_CASE("local operations are moved to further threadblocks") {
  std::string text = "allreduce ranks 1 chunks 10 outofplace {\n";
  for (uint32_t c = 0; c < 10; ++c) {
    std::string at = "[" + std::to_string(c) + "]";
    text += "%" + std::to_string(c) + " = copy r0:o" + at + " <- r0:i" + at + "\n";
  }
  ExecPlan plan = planOf(text + "}\n", shortThreadblocks(4));
  CHECK(plan.numThreadblocks(RankId(0)) == 3);
  for (const Threadblock &tb : plan.threadblocks(RankId(0)))
    CHECK(tb.numSteps <= 4);
}

TEST_CASE("instances share channels if a rank would exceed its threadblocks") {
  std::string text = "broadcast ranks 2 chunks 4 root r0 inplace instances 4 {\n";
  for (uint32_t c = 0; c < 4; ++c) {
    std::string at = ":i[" + std::to_string(c) + "]", name = "%" + std::to_string(c);
    text += name + " = copy r1" + at + " <- r0" + at + " inst " + std::to_string(c) + "\n";
  }
  text += "}\n";
  ScheduleOptions how = shortThreadblocks(8);
  CHECK(planOf(text, how).channels() == 4);
  how.maxThreadblocks = 2;
  CHECK(planOf(text, how).channels() == 2);
  how.maxSteps = std::nullopt;
  CHECK(planOf(text, how).channels() == 4);
}

TEST_CASE("threadblocks that others wait for get numbers within the limit") {
  // Rank 0 forwards the chunk to rank 2 with a fused receive, and then sends it to rank 1.
  std::string text = R"(
    broadcast ranks 4 chunks 1 root r3 inplace {
    %0 = copy r0:i[0] <- r3:i[0]
    %1 = copy r2:i[0] <- r0:i[0]
    %2 = copy r1:i[0] <- r0:i[0]
    }
    )"_lines;
  auto largest = [](const ExecPlan &plan) {
    uint32_t number = 0;
    for (const Step &step : plan.steps())
      if (std::optional<Wait> wait = step.wait())
        number = std::max(number, wait->tb.index());
    return number;
  };
  ScheduleOptions how;
  ExecPlan before = planOf(text, how);
  REQUIRE(largest(before) > 0);
  how.maxWaitTarget = largest(before);
  CHECK(printed(planOf(text, how)) == printed(before));
  how.maxWaitTarget = 0;
  ExecPlan after = planOf(text, how);
  CHECK(largest(after) == 0);
  CHECK(after.threadblocks().size() == before.threadblocks().size());
}
