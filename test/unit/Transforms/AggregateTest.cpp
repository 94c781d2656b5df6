#include "../../support/Interpreters.h"
#include "../../support/Lines.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

#include "cclc/Proof/ChunkChecker.h"
#include "cclc/Proof/PlanVerifier.h"

using namespace cclc;
using namespace cclc::test;

namespace {
ChunkProgram aggregated(ChunkProgram program, AggregateOptions options) {
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<ChunkProgram> result = aggregate(std::move(program), options, context);
  if (failed(result))
    FAIL(messages(diags));
  return std::move(*result);
}

/// The operations of the program after the pass.
std::string aggregated(const std::string &text, AggregateOptions options = {}) {
  std::string all = printed(
      aggregated(parsed<ChunkProgram>("ccl.version 3\nchunk.program @p coll " + text), options));
  size_t begin = all.find("  %");
  return all.substr(begin, all.rfind('}') - begin);
}

const AggregateOptions everything{/*all=*/true, /*max=*/71};

/// Splits every operation into operations of one chunk.
ChunkProgram inPieces(const ChunkProgram &program) {
  ChunkProgramBuilder pieces(program.info());
  for (const ScratchBuffer &buffer : program.scratch()) {
    uint16_t index = pieces.scratchBuffer(buffer.name);
    for (uint32_t r = 0; r < program.info().ranks(); ++r)
      pieces.growScratch(index, RankId(r), buffer.chunks[r]);
  }
  for (const ChunkOp &op : program.ops())
    for (uint32_t c = 0; c < op.count; ++c) {
      ChunkOp piece = op;
      piece.srcIndex += c;
      piece.dstIndex += c;
      piece.count = 1;
      pieces.add(piece);
    }
  DiagnosticEngine diags;
  return std::move(*std::move(pieces).finish(diags));
}
} // namespace

TEST_CASE("aggregate: marked operations on adjacent chunks become one") {
  CHECK(aggregated(R"(
    allreduce ranks 2 chunks 4 inplace {
    %0 = copy r1:i[1] <- r0:i[1] agg 1
    %1 = copy r1:i[3] <- r0:i[3] agg 1
    %2 = copy r1:i[0] <- r0:i[0] agg 1
    %3 = copy r1:i[2] <- r0:i[2]
    }
    )"_lines) == R"(
            %0 = copy r1:i[0:2] <- r0:i[0:2]
            %1 = copy r1:i[3] <- r0:i[3]
            %2 = copy r1:i[2] <- r0:i[2]
          )"_lines);
  // Also operations of several chunks, and reduces.
  CHECK(aggregated(R"(
    allreduce ranks 2 chunks 4 inplace {
    %0 = reduce r1:i[0:2] += r0:i[0:2] ch 3 agg 1
    %1 = reduce r1:i[2] += r0:i[2] ch 3 agg 1
    }
    )"_lines) == "  %0 = reduce r1:i[0:3] += r0:i[0:3] ch 3\n");
}

TEST_CASE("aggregate: operations that differ are not joined") {
  for (const char *second :
       {"copy r1:i[1] <- r2:i[1]", "copy r2:i[1] <- r0:i[1]", "reduce r1:i[1] += r0:i[1]",
        "copy r1:i[2] <- r0:i[1]", "copy r1:i[1] <- r0:i[1] ch 1", "copy r1:i[1] <- r0:i[1] nofuse",
        "copy r1:i[1] <- r0:\"t\"[0]", "copy r1:i[2] <- r0:i[2]"}) {
    INFO(second);
    const std::string first = "  %0 = copy r1:i[0] <- r0:i[0]";
    const std::string begin = R"(
      allreduce ranks 3 chunks 4 inplace {
        scratch "t" 1
        %0 = copy r0:"t"[0] <- r0:i[3]
      )"_lines;
    std::string got =
        aggregated(begin + "%1 = copy r1:i[0] <- r0:i[0] agg 1\n%2 = " + second + " agg 1\n}\n");
    CHECK(got == "  %0 = copy r0:\"t\"[0] <- r0:i[3]\n  %1 = copy r1:i[0] <- r0:i[0]\n  %2 = " +
                     std::string(second) + "\n");
  }
}

TEST_CASE("aggregate: operations of different scopes are not joined, even of adjacent ones") {
  CHECK(aggregated(R"(
    allreduce ranks 2 chunks 4 inplace {
    %0 = copy r1:i[0] <- r0:i[0] agg 1
    %1 = copy r1:i[1] <- r0:i[1] agg 2
    %2 = copy r1:i[2] <- r0:i[2] agg 2
    %3 = copy r1:i[3] <- r0:i[3] agg 1
    }
    )"_lines) ==
        R"(
          %0 = copy r1:i[0] <- r0:i[0]
          %1 = copy r1:i[1:3] <- r0:i[1:3]
          %2 = copy r1:i[3] <- r0:i[3]
        )"_lines);
}

TEST_CASE("aggregate: no operation is moved across its dependences") {
  // The second chunk is available only after the first has been returned.
  const std::string dependent = R"(
    allreduce ranks 2 chunks 2 inplace {
    %0 = copy r1:i[0] <- r0:i[0] agg 1
    %1 = copy r0:i[1] <- r1:i[0] agg 1
    %2 = copy r1:i[1] <- r0:i[1] agg 1
    }
    )"_lines;
  CHECK(aggregated(dependent) == R"(
      %0 = copy r1:i[0] <- r0:i[0]
      %1 = copy r0:i[1] <- r1:i[0]
      %2 = copy r1:i[1] <- r0:i[1]
    )"_lines);
  // Gather, then send: one message, after both of the copies before and behind it.
  CHECK(aggregated(R"(
    allreduce ranks 2 chunks 4 inplace {
    %0 = copy r0:i[2] <- r0:i[0] agg 1
    %1 = copy r1:i[2] <- r0:i[2] agg 1
    %2 = copy r0:i[3] <- r0:i[1] agg 1
    %3 = copy r1:i[3] <- r0:i[3] agg 1
    }
    )"_lines) ==
        R"(
          %0 = copy r0:i[2:4] <- r0:i[0:2]
          %1 = copy r1:i[2:4] <- r0:i[2:4]
        )"_lines);
}

TEST_CASE("aggregate: the number of chunks of an operation is limited") {
  const std::string text = R"(
    allreduce ranks 2 chunks 5 inplace {
    %0 = copy r1:i[0] <- r0:i[0]
    %1 = copy r1:i[1] <- r0:i[1]
    %2 = copy r1:i[2] <- r0:i[2]
    %3 = copy r1:i[3] <- r0:i[3]
    %4 = copy r1:i[4] <- r0:i[4]
    }
    )"_lines;
  CHECK(aggregated(text, {true, 2}) == R"(
      %0 = copy r1:i[0:2] <- r0:i[0:2]
      %1 = copy r1:i[2:4] <- r0:i[2:4]
      %2 = copy r1:i[4] <- r0:i[4]
    )"_lines);
  CHECK(aggregated(text, {true, 0}) == "  %0 = copy r1:i[0:5] <- r0:i[0:5]\n");
  // No operation is split.
  CHECK(aggregated(R"(
    allreduce ranks 2 chunks 5 inplace {
    %0 = copy r1:i[0:5] <- r0:i[0:5]
    }
    )"_lines,
                   {true, 2}) == "  %0 = copy r1:i[0:5] <- r0:i[0:5]\n");
}

TEST_CASE("aggregate: by default it joins whole flows only") {
  // Both chunks are forwarded together.
  CHECK(aggregated(R"(
    allreduce ranks 3 chunks 2 inplace {
    %0 = reduce r1:i[0] += r0:i[0]
    %1 = copy r2:i[0] <- r1:i[0]
    %2 = reduce r1:i[1] += r0:i[1]
    %3 = copy r2:i[1] <- r1:i[1]
    }
    )"_lines,
                   everything) == R"(
            %0 = reduce r1:i[0:2] += r0:i[0:2]
            %1 = copy r2:i[0:2] <- r1:i[0:2]
          )"_lines);
  // They are forwarded to different ranks: joined, neither receive could be fused with its send.
  const std::string parting = R"(
    allreduce ranks 4 chunks 2 inplace {
      %0 = reduce r1:i[0] += r0:i[0]
      %1 = copy r2:i[0] <- r1:i[0]
      %2 = reduce r1:i[1] += r0:i[1]
      %3 = copy r3:i[1] <- r1:i[1]
    )"_lines;
  CHECK(aggregated(parting + "}\n", everything) == parting.substr(parting.find("  %")));
  // Their destinations are not adjacent, which only the second hop shows.
  const std::string apart = R"(
    allreduce ranks 4 chunks 4 inplace {
      %0 = copy r1:i[0] <- r0:i[0]
      %1 = copy r2:i[0] <- r1:i[0]
      %2 = copy r1:i[1] <- r0:i[1]
      %3 = copy r2:i[3] <- r1:i[1]
    )"_lines;
  CHECK(aggregated(apart + "}\n", everything) == apart.substr(apart.find("  %")));
  // They come from different ranks.
  const std::string meeting = R"(
    allreduce ranks 4 chunks 2 inplace {
      %0 = reduce r2:i[0] += r0:i[0]
      %1 = reduce r2:i[1] += r1:i[1]
      %2 = copy r3:i[0] <- r2:i[0]
      %3 = copy r3:i[1] <- r2:i[1]
    )"_lines;
  CHECK(aggregated(meeting + "}\n", everything) == meeting.substr(meeting.find("  %")));
  // Marked by the program, they are joined.
  std::string marked = meeting;
  marked.insert(marked.find("r2:i[0]\n  %3") + 7, " agg 1");
  marked.insert(marked.rfind("\n"), " agg 1");
  CHECK(aggregated(marked + "}\n") == R"(
      %0 = reduce r2:i[0] += r0:i[0]
      %1 = reduce r2:i[1] += r1:i[1]
      %2 = copy r3:i[0:2] <- r2:i[0:2]
    )"_lines);
}

TEST_CASE("aggregate: no operation is moved across a gate") {
  const std::string text = R"(
    allreduce ranks 2 chunks 2 inplace {
      communicator 0 "both" [r0 r1]
      call 0 "a" gen 1
      call 1 "b" gen 2
      phase 1 "first" call 0 comm 0 stage 0 gen 1
      phase 2 "second" call 1 comm 0 stage 0 gen 4
      %0 = copy r1:i[0] <- r0:i[0] phase 1
      %1 = copy r1:i[1] <- r0:i[1] phase 2
    )"_lines;
  CHECK(aggregated(text + "}\n", everything) == text.substr(text.find("  %")));
  // Not even in a scope that is still open there.
  std::string marked = text;
  marked.insert(marked.find(" phase 1\n"), " agg 1");
  marked.insert(marked.find(" phase 2\n"), " agg 1");
  CHECK(aggregated(marked + "}\n") == text.substr(text.find("  %")));
}

// The operations of the programs are cut into single chunks, so that many can be joined.
TEST_CASE("aggregated random programs compute the same", "[property]") {
  uint64_t joined = 0;
  for (uint64_t seed = 0; seed < scaled(1500); ++seed) {
    RandomProgramOptions options;
    options.directives = seed % 3 == 0;
    options.calls = seed % 5 == 0;
    ChunkProgram program = inPieces(randomProgram(seed + 3000000, options));
    for (bool all : {true, false}) {
      // Marked in runs that depend on the seed.
      ChunkProgramBuilder marking{ChunkProgram(program)};
      if (!all)
        for (Directive &directive : marking.info().directives)
          directive.aggregate = 1 + seed % 2;
      DiagnosticEngine diags;
      FailureOr<ChunkProgram> marked = std::move(marking).finish(diags);
      REQUIRE(succeeded(marked));
      ChunkProgram result = aggregated(std::move(*marked), {all, seed % 4 ? 71u : 2u});
      joined += program.ops().size() - result.ops().size();
      INFO("seed " << seed << " all " << all << "\n" << printed(program) << printed(result));
      for (const ChunkOp &op : result.ops())
        REQUIRE(op.count <= (seed % 4 ? 71u : 2u));
      PassContext context(diags);
      for (Placement placement : program.info().placements.list())
        REQUIRE(executeDirectly(program, placement) == executeDirectly(result, placement));
      if (seed % 10 != 0)
        continue;
      Outputs expected = executeDirectly(program, program.info().placements.list().front());
      FailureOr<InstrProgram> instrs = optimised(std::move(result), true, context);
      REQUIRE(succeeded(instrs));
      FailureOr<ExecPlan> plan = scheduleProgram(std::move(*instrs), {}, context);
      REQUIRE(succeeded(plan));
      Verdict verdict = verifyPlan(*plan, Slots(8), diags).verdict;
      REQUIRE((verdict == Verdict::Ok || verdict == Verdict::WrongResult));
      REQUIRE(executePlan(*plan, plan->info().placements.list().front(), Slots(8), seed) ==
              expected);
    }
  }
  CHECK(joined > scaled(1500));
}
