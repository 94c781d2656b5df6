#include "../../support/Interpreters.h"
#include "../../support/Lines.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

#include "cclc/Proof/ChunkChecker.h"
#include "cclc/Proof/PlanVerifier.h"

#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {
struct Result {
  std::optional<ChunkProgram> program;
  std::string text;
};
Result replicated(const ChunkProgram &program, uint32_t n, InstanceLayout layout) {
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<ChunkProgram> result = replicateInstances(program, n, layout, context);
  if (failed(result))
    return {std::nullopt, messages(diags)};
  std::string text = printed(*result);
  return {std::move(*result), text.substr(text.find("\n") + 1)};
}
ChunkProgram chunks(const std::string &text) {
  return parsed<ChunkProgram>("ccl.version 3\nchunk.program @p coll " + text);
}
const std::string pair = R"(
  allreduce ranks 2 chunks 3 inplace {
    scratch "t" 2 1
    %0 = copy r1:"t"[0] <- r0:i[2]
    %1 = reduce r0:i[0:3] += r1:i[0:3] ch 1 sendtb 0 recvtb 2
  }
  )"_lines;
} // namespace

TEST_CASE("blocked: every instance has a contiguous part") {
  CHECK(replicated(chunks(pair), 2, InstanceLayout::Blocked).text ==
        R"(
        chunk.program @p coll allreduce ranks 2 chunks 6 inplace instances 2 {
          scratch "t" 4 2
          %0 = copy r1:"t"[0] <- r0:i[2]
          %1 = copy r1:"t"[1] <- r0:i[5] inst 1
          %2 = reduce r0:i[0:3] += r1:i[0:3] ch 1 sendtb 0 recvtb 4
          %3 = reduce r0:i[3:6] += r1:i[3:6] ch 3 sendtb 1 recvtb 5 inst 1
        }
        )"_lines);
}

TEST_CASE("interleaved: every instance has a part of every chunk") {
  CHECK(replicated(chunks(pair), 2, InstanceLayout::Interleaved).text ==
        R"(
        chunk.program @p coll allreduce ranks 2 chunks 6 inplace instances 2 {
          scratch "t" 4 2
          %0 = copy r1:"t"[0] <- r0:i[4]
          %1 = copy r1:"t"[1] <- r0:i[5] inst 1
          %2 = reduce r0:i[0] += r1:i[0] ch 1 sendtb 0 recvtb 4
          %3 = reduce r0:i[2] += r1:i[2] ch 1 sendtb 0 recvtb 4
          %4 = reduce r0:i[4] += r1:i[4] ch 1 sendtb 0 recvtb 4
          %5 = reduce r0:i[1] += r1:i[1] ch 3 sendtb 1 recvtb 5 inst 1
          %6 = reduce r0:i[3] += r1:i[3] ch 3 sendtb 1 recvtb 5 inst 1
          %7 = reduce r0:i[5] += r1:i[5] ch 3 sendtb 1 recvtb 5 inst 1
        }
        )"_lines);
}

TEST_CASE("batched: every instance has a part of the whole buffer, where that is one block") {
  CHECK(replicated(chunks(pair), 2, InstanceLayout::Batched).text ==
        replicated(chunks(pair), 2, InstanceLayout::Blocked).text);
  const std::string swap = R"(
    custom ranks 2 outofplace {
      input 1
      output 2
      %0 = copy r0:o[1] <- r1:i[0]
    }
    )"_lines;
  CHECK_THAT(replicated(chunks(swap), 2, InstanceLayout::Batched).text,
             Catch::Contains("  %1 = copy r0:o[3] <- r1:i[1] inst 1\n"));
  for (const char *kind : {"allgather", "reducescatter", "alltoall"})
    CHECK(replicated(chunks(std::string(kind) + " ranks 2 inplace {\n}\n"), 2,
                     InstanceLayout::Batched)
              .text == "tool: error: batched instances are not supported for " + std::string(kind) +
                           ": its buffers have a block for every rank; use blocked or "
                           "interleaved\n");
}

TEST_CASE("buffers of several blocks are replicated block by block") {
  const std::string gather = R"(
    allgather ranks 2 chunks 2 outofplace {
      %0 = copy r0:o[0:2] <- r0:i[0:2]
      %1 = copy r1:o[0:4] <- r0:o[0:4]
    }
    )"_lines;
  // The copy of both blocks is split if an instance's parts are not adjacent.
  CHECK(replicated(chunks(gather), 2, InstanceLayout::Blocked).text ==
        R"(
        chunk.program @p coll allgather ranks 2 chunks 4 outofplace instances 2 {
          %0 = copy r0:o[0:2] <- r0:i[0:2]
          %1 = copy r0:o[2:4] <- r0:i[2:4] inst 1
          %2 = copy r1:o[0:2] <- r0:o[0:2]
          %3 = copy r1:o[4:6] <- r0:o[4:6]
          %4 = copy r1:o[2:4] <- r0:o[2:4] inst 1
          %5 = copy r1:o[6:8] <- r0:o[6:8] inst 1
        }
        )"_lines);
}

TEST_CASE("custom collectives replicate their post-condition") {
  const std::string swap = R"(
    custom ranks 2 outofplace {
      input 1
      output 2
      expect r0:o[1] = r1:i[0]
      expect r1:o[0] = r0:i[0] + r1:i[0]
      %0 = copy r0:o[1] <- r1:i[0]
      %1 = copy r1:o[0] <- r0:i[0]
      %2 = reduce r1:o[0] += r1:i[0]
    }
    )"_lines;
  Result blocked = replicated(chunks(swap), 2, InstanceLayout::Blocked);
  CHECK_THAT(blocked.text, Catch::Contains(R"(
      input 2
      output 4
      expect r0:o[1] = r1:i[0]
      expect r0:o[3] = r1:i[1]
      expect r1:o[0] = r0:i[0] + r1:i[0]
      expect r1:o[2] = r0:i[1] + r1:i[1]
    )"_lines));
  Result interleaved = replicated(chunks(swap), 2, InstanceLayout::Interleaved);
  CHECK_THAT(interleaved.text, Catch::Contains(R"(
      expect r0:o[2] = r1:i[0]
      expect r0:o[3] = r1:i[1]
      expect r1:o[0] = r0:i[0] + r1:i[0]
      expect r1:o[1] = r0:i[1] + r1:i[1]
    )"_lines));
  for (const Result *result : {&blocked, &interleaved}) {
    DiagnosticEngine diags;
    CHECK(succeeded(checkProgram(*result->program, diags)));
    CHECK(messages(diags) == "");
  }
}

TEST_CASE("replicated random programs compute their collective", "[property]") {
  const std::vector<std::string> programs = {
      "allreduce ranks 3 chunks 3 inplace {\n"
      "%0 = reduce r1:i[0:3] += r0:i[0:3]\n%1 = reduce r2:i[0:3] += r1:i[0:3]\n"
      "%2 = copy r0:i[0:2] <- r2:i[0:2]\n%3 = copy r0:i[2] <- r2:i[2]\n"
      "%4 = copy r1:i[0:3] <- r0:i[0:3]\n}",
      "allgather ranks 2 chunks 2 inplace outofplace {\n"
      "%0 = copy r0:o[0:2] <- r0:i[0:2]\n%1 = copy r1:o[2:4] <- r1:i[0:2]\n"
      "%2 = copy r1:o[0:2] <- r0:i[0:2]\n%3 = copy r0:o[2:4] <- r1:i[0:2]\n}",
      "reducescatter ranks 2 chunks 2 inplace {\n"
      "scratch \"t\" 2\n"
      "%0 = copy r1:\"t\"[0:2] <- r0:i[2:4]\n%1 = reduce r0:i[0:2] += r1:i[0:2]\n"
      "%2 = reduce r1:i[2:4] += r1:\"t\"[0:2]\n}",
      "alltoall ranks 2 chunks 3 outofplace {\n"
      "%0 = copy r0:o[0:3] <- r0:i[0:3]\n%1 = copy r1:o[3:6] <- r1:i[3:6]\n"
      "%2 = copy r1:o[0:3] <- r0:i[3:6]\n%3 = copy r0:o[3:6] <- r1:i[0:3]\n}",
      "scatter ranks 2 chunks 2 root r1 inplace {\n%0 = copy r0:o[0:2] <- r1:i[0:2]\n}",
      "gather ranks 2 chunks 2 root r1 inplace {\n%0 = copy r1:o[0:2] <- r0:i[0:2]\n}",
      "broadcast ranks 2 chunks 2 root r1 inplace {\n%0 = copy r0:o[0:2] <- r1:i[0:2]\n}"};
  for (const std::string &text : programs) {
    INFO(text);
    ChunkProgram program = chunks(text);
    DiagnosticEngine diags;
    REQUIRE(succeeded(checkProgram(program, diags)));
    for (uint32_t n : {1u, 2u, 3u, 5u})
      for (InstanceLayout layout : {InstanceLayout::Blocked, InstanceLayout::Interleaved}) {
        Result once = replicated(program, n, layout);
        REQUIRE(once.program);
        REQUIRE(succeeded(checkProgram(*once.program, diags)));
        CHECK(once.program->info().instances == n);
        // Replicate again, and compile to a proved plan.
        Result twice = replicated(*once.program, 2, layout);
        REQUIRE(twice.program);
        CHECK(twice.program->info().instances == 2 * n);
        REQUIRE(succeeded(checkProgram(*twice.program, diags)));
        PassContext context(diags);
        FailureOr<InstrProgram> instrs = optimised(std::move(*twice.program), true, context);
        REQUIRE(succeeded(instrs));
        FailureOr<ExecPlan> plan = scheduleProgram(std::move(*instrs), {}, context);
        REQUIRE(succeeded(plan));
        CHECK(verifyPlan(*plan, Slots(8), diags).verdict == Verdict::Ok);
        CHECK(messages(diags) == "");
      }
  }
}

TEST_CASE("instances share no connection", "[property]") {
  for (uint64_t seed = 0; seed < scaled(60); ++seed) {
    INFO("seed " << seed);
    RandomProgramOptions options;
    options.directives = seed % 2;
    Result result = replicated(randomProgram(seed + 95000, options), 2,
                               seed % 3 ? InstanceLayout::Blocked : InstanceLayout::Interleaved);
    REQUIRE(result.program);
    // The location of an operation identifies it in the random program; a separate phase
    // marks the instance in the plan.
    std::string text = printed(*result.program);
    DiagnosticEngine diags;
    PassContext context(diags);
    FailureOr<InstrProgram> instrs = optimised(std::move(*result.program), true, context);
    REQUIRE(succeeded(instrs));
    InstrProgram::Parts parts = InstrProgram(*instrs).takeApart();
    parts.info.phases.push_back({"second"});
    for (Instr &instr : parts.instrs) {
      REQUIRE(parts.info.directives[instr.directive].instance < 2);
      instr.phase = parts.info.directives[instr.directive].instance;
    }
    instrs = InstrProgramBuilder(parts.info, parts.instrs, parts.scratchChunks).finish(diags);
    REQUIRE(succeeded(instrs));
    FailureOr<ExecPlan> plan = scheduleProgram(std::move(*instrs), {}, context);
    if (failed(plan))
      FAIL(messages(diags) << text);
    for (const Threadblock &tb : plan->threadblocks()) {
      std::set<uint32_t> instances;
      for (const Step &step : plan->steps(tb))
        if (traits(step.op).communicates())
          instances.insert(step.phase);
      CHECK(instances.size() <= 1);
    }
  }
}

TEST_CASE("invalid numbers of instances are rejected") {
  ChunkProgram program = chunks(pair);
  CHECK(replicated(program, 0, InstanceLayout::Blocked).text ==
        "tool: error: a program runs as at least one instance\n");
  // 2 * (3 + 3) cells and 3 of scratch.
  CHECK(replicated(program, 524289, InstanceLayout::Blocked).text ==
        "tool: error: 524289 instances of 2 different directives exceed the limit of 1048576\n");
  CHECK(replicated(chunks("allreduce ranks 1 chunks 67108864 inplace {\n}\n"), 3,
                   InstanceLayout::Blocked)
            .text == "tool: error: 3 instances have 402653184 chunks together, more than the "
                     "limit of 268435456\n");
  // Channels and threadblock numbers are multiplied as well.
  CHECK(replicated(chunks(R"(
    allreduce ranks 2 inplace {
    %0 = copy r1:i[0] <- r0:i[0] ch 40000
    }
    )"_lines),
                   2, InstanceLayout::Blocked)
            .text == "tool: error: 2 instances of a program that names channel 40000 need more "
                     "than the limit of 65536\n");
  CHECK(replicated(chunks(R"(
    allreduce ranks 2 inplace {
    %0 = copy r1:i[0] <- r0:i[0] recvtb 40000
    }
    )"_lines),
                   2, InstanceLayout::Blocked)
            .text == "tool: error: 2 instances of a program that names threadblock 40000 need "
                     "more than the limit of 65536\n");
}
