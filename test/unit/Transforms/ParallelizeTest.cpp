#include "../../support/Interpreters.h"
#include "../../support/Lines.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

#include "cclc/Proof/ChunkChecker.h"
#include "cclc/Proof/PlanVerifier.h"

using namespace cclc;
using namespace cclc::test;

namespace {
ChunkProgram chunks(const std::string &text) {
  return parsed<ChunkProgram>("ccl.version 3\nchunk.program @p coll " + text);
}

std::string parallelized(const std::string &text) {
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<ChunkProgram> result = parallelize(chunks(text), context);
  if (failed(result))
    return messages(diags);
  std::string all = printed(*result);
  return all.substr(all.find('\n') + 1);
}
} // namespace

TEST_CASE("parallelize: parts are contiguous, operations within one part are not split") {
  CHECK(parallelized(R"(
    allreduce ranks 3 chunks 2 inplace {
      scratch "t" 1
    %0 = copy r1:"t"[0] <- r0:i[1] par 2
    %1 = reduce r1:i[1] += r1:"t"[0]
    %2 = reduce r2:i[0:2] += r1:i[0:2] ch 1 par 2
    }
    )"_lines) ==
        R"(
        chunk.program @p coll allreduce ranks 3 chunks 4 inplace {
          scratch "t" 2
          %0 = copy r1:"t"[0] <- r0:i[2]
          %1 = copy r1:"t"[1] <- r0:i[3] inst 1
          %2 = reduce r1:i[2:4] += r1:"t"[0:2]
          %3 = reduce r2:i[0:2] += r1:i[0:2] ch 1
          %4 = reduce r2:i[2:4] += r1:i[2:4] ch 3 inst 1
        }
        )"_lines);
}

TEST_CASE("parallelize: chunks are split into the least common multiple of all parts") {
  CHECK(parallelized(R"(
    broadcast ranks 2 chunks 1 root r0 inplace {
    %0 = copy r1:i[0] <- r0:i[0] par 4
    %1 = copy r0:i[0] <- r1:i[0] par 6 inst 1
    }
    )"_lines) ==
        R"(
        chunk.program @p coll broadcast ranks 2 chunks 12 root r0 inplace {
          %0 = copy r1:i[0:3] <- r0:i[0:3]
          %1 = copy r1:i[3:6] <- r0:i[3:6] inst 2
          %2 = copy r1:i[6:9] <- r0:i[6:9] inst 4
          %3 = copy r1:i[9:12] <- r0:i[9:12] inst 6
          %4 = copy r0:i[0:2] <- r1:i[0:2] inst 1
          %5 = copy r0:i[2:4] <- r1:i[2:4] inst 3
          %6 = copy r0:i[4:6] <- r1:i[4:6] inst 5
          %7 = copy r0:i[6:8] <- r1:i[6:8] inst 7
          %8 = copy r0:i[8:10] <- r1:i[8:10] inst 9
          %9 = copy r0:i[10:12] <- r1:i[10:12] inst 11
        }
        )"_lines);
  const std::string plain = R"(
    chunk.program @p coll broadcast ranks 2 chunks 1 root r0 inplace {
      %0 = copy r1:o[0] <- r0:o[0] ch 1
    }
    )"_lines;
  CHECK(parallelized(StringRef(plain).drop_front(22).str()) == plain);
}

TEST_CASE("parallelize: a custom collective is split as well") {
  CHECK(parallelized(R"(
    custom ranks 2 outofplace {
      input 1
      output 2
      expect r1:o[1] = r0:i[0] + r1:i[0]
    %0 = copy r1:o[1] <- r0:i[0] par 2
    %1 = reduce r1:o[1] += r1:i[0]
    }
    )"_lines) ==
        R"(
        chunk.program @p coll custom ranks 2 outofplace {
          input 2
          output 4
          expect r1:o[2] = r0:i[0] + r1:i[0]
          expect r1:o[3] = r0:i[1] + r1:i[1]
          %0 = copy r1:o[2] <- r0:i[0]
          %1 = copy r1:o[3] <- r0:i[1] inst 1
          %2 = reduce r1:o[2:4] += r1:i[0:2]
        }
        )"_lines);
}

TEST_CASE("parallelize: operations that cannot be split are rejected") {
  CHECK(parallelized(R"(
    allreduce ranks 2 chunks 33000000 inplace {
    %0 = copy r1:i[0] <- r0:i[0] par 3
    }
    )"_lines) ==
        "tool: error: with every chunk split into 3 the program has 396000000 chunks, more than "
        "the limit of 268435456\n");
  CHECK(parallelized(R"(
    allreduce ranks 2 inplace {
    %0 = copy r1:i[0] <- r0:i[0] ch 40000 par 2
    }
    )"_lines) ==
        "t.ccl:3:1: error: 2 parts of an operation on channel 40000 need more channels than the "
        "limit of 65536\n");
  for (const char *tb : {"sendtb", "recvtb"})
    CHECK(parseError("ccl.version 3\nchunk.program @p coll allreduce ranks 2 inplace {\n"
                     "%0 = copy r1:i[0] <- r0:i[0] " +
                     std::string(tb) + " 1 par 2\n}\n") ==
          "t.ccl:3:1: error: an operation in 2 parts cannot be put into a threadblock: each part "
          "needs its own\n");
  CHECK(parseError(R"(
    ccl.version 3
    chunk.program @p coll allreduce ranks 2 inplace {
    %0 = copy r1:i[0] <- r0:i[0] par 0
    }
    )"_lines) == "t.ccl:3:34: error: an operation has at least one part\n");
  DiagnosticEngine diags;
  PassContext context(diags);
  CHECK(failed(lowerToInstr(chunks(R"(
        allreduce ranks 2 inplace {
        %0 = copy r1:i[0] <- r0:i[0] par 2
        }
        )"_lines),
                            context)));
  CHECK(messages(diags) ==
        "tool: error: an operation has 2 parts: run the pass parallelize before lower-to-instr\n");
}

// With other numbers of parts the program computes the same collective for every split of a chunk;
// the plan must be equivalent to the program in any case.
TEST_CASE("parallelized random programs compile to plans that compute the same", "[property]") {
  for (uint64_t seed = 0; seed < scaled(400); ++seed) {
    ChunkProgram plain = randomProgram(seed + 4000000);
    ChunkProgramBuilder builder(plain.info());
    for (const ScratchBuffer &buffer : plain.scratch())
      for (uint32_t r = 0; r < plain.info().ranks(); ++r)
        builder.growScratch(builder.scratchBuffer(buffer.name), RankId(r), buffer.chunks[r]);
    Random random(seed);
    for (uint32_t parts : {2, 3, 4}) {
      Directive directive;
      directive.parallel = parts;
      builder.info().directives.push_back(directive);
    }
    for (ChunkOp op : plain.ops()) {
      op.directive = random.below(4);
      builder.add(op);
    }
    DiagnosticEngine diags;
    PassContext context(diags);
    FailureOr<ChunkProgram> wanted = std::move(builder).finish(diags);
    REQUIRE(succeeded(wanted));
    FailureOr<ChunkProgram> result = parallelize(std::move(*wanted), context);
    REQUIRE(succeeded(result));
    INFO("seed " << seed << "\n" << printed(plain) << printed(*result));
    if (seed % 2) {
      result = replicateInstances(*result, 2, InstanceLayout::Blocked, context);
      REQUIRE(succeeded(result));
    }
    const Placement placement = result->info().placements.list().front();
    Outputs expected = executeDirectly(*result, placement);
    FailureOr<InstrProgram> instrs = optimised(std::move(*result), true, context);
    REQUIRE(succeeded(instrs));
    FailureOr<ExecPlan> plan = scheduleProgram(std::move(*instrs), {}, context);
    REQUIRE(succeeded(plan));
    Verdict verdict = verifyPlan(*plan, Slots(8), diags).verdict;
    REQUIRE((verdict == Verdict::Ok || verdict == Verdict::WrongResult));
    REQUIRE(executePlan(*plan, placement, Slots(8), seed) == expected);
  }
}
