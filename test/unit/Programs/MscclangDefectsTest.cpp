//===- MscclangDefectsTest.cpp - Programs that MSCCLang miscompiles -------===//
//
// MSCCLang's reference compiler generates incorrect code for twelve kinds of
// program, or accepts programs that it does not support. Here each is compiled
// correctly or rejected with a reason, with and without fusion; the result is
// executed in random interleavings and compared with the trace.
//
//===----------------------------------------------------------------------===//

#include "../../support/Interpreters.h"
#include "../Plans.h"

#include "cclc/DSL/DSL.h"

using namespace cclc;
using namespace cclc::test;
using dsl::Buffers, dsl::ChunkRef, dsl::Input, dsl::Output, dsl::Program;

namespace {
struct Setting {
  CollectiveKind kind = CollectiveKind::Custom;
  Buffers buffers = Buffers::OutOfPlace;
  uint32_t ranks = 4;
  uint32_t instances = 1;
};

dsl::Declaration declare(void (*body)(Program &), const Setting &setting) {
  dsl::Declaration declaration("defect");
  declaration.collective(setting.kind).buffers(setting.buffers, setting.buffers).body(body);
  return declaration;
}

CompileRequest request(const Setting &setting, bool fused) {
  CompileRequest request;
  request.ranks = setting.ranks;
  request.instances = setting.instances;
  request.passes.verifySemantics = true;
  if (!fused)
    request.fusion = FusionOptions::none();
  return request;
}

void isRight(void (*body)(Program &), const Setting &setting = {}) {
  for (bool fused : {true, false}) {
    INFO((fused ? "fused" : "unfused"));
    CompileRequest how = request(setting, fused);
    std::vector<Outputs> meant;
    how.onChunkProgram = [&](const ChunkProgram &program) {
      for (Placement placement : program.info().placements.list())
        meant.push_back(executeDirectly(program, placement));
    };
    DiagnosticEngine diags;
    FailureOr<Compiled> outcome = compile(declare(body, setting), how, diags);
    if (failed(outcome))
      FAIL(textOf(diags));
    REQUIRE(outcome->report->verdict == Verdict::Ok);
    // With instances the chunks differ from those of the trace; only the proof applies.
    if (setting.instances > 1)
      continue;
    const ExecPlan &plan = outcome->plan;
    size_t at = 0;
    for (Placement placement : plan.info().placements.list()) {
      for (uint64_t seed = 0; seed < 20; ++seed) {
        std::optional<Outputs> outputs = executePlan(plan, placement, *plan.slots(), seed);
        REQUIRE(outputs);
        CHECK(*outputs == meant[at]);
      }
      ++at;
    }
  }
}

void isRefused(void (*body)(Program &), StringRef why, const Setting &setting = {}) {
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(declare(body, setting), request(setting, true), diags);
  CHECK(failed(outcome));
  CHECK((diags.failure() == Failure::Wrong || diags.failure() == Failure::Unfit));
  INFO(textOf(diags));
  CHECK(StringRef(textOf(diags)).contains(why));
}
} // namespace

TEST_CASE("1: a reduce of a remote chunk with a different offset there", "[mscclang]") {
  isRight([](Program &p) {
    p.custom(2, 3);
    dsl::Buffer far = p.scratch("far");
    ChunkRef addend = p.chunk(0, Input, 1).copy(0, far, 5);
    p.chunk(1, Input, 0).copy(1, Output, 2);
    ChunkRef sum = p.chunk(1, Output, 2).reduce(addend);
    p.chunk(2, Input, 1).copy(2, Output, 0);
    ChunkRef next = p.chunk(2, Output, 0).reduce(sum);
    next.copy(3, Output, 1);
  });
}

TEST_CASE("2: a send of chunks other than the received ones", "[mscclang]") {
  isRight([](Program &p) {
    p.custom(3, 3);
    p.chunk(1, Input, 2).copy(1, Output, 2);
    p.chunk(0, Input, 0, 2).copy(1, Output, 0);
    p.chunk(1, Output, 1, 2).copy(2, Output, 0);
  });
}

TEST_CASE("3: a send of chunks one of which was overwritten", "[mscclang]") {
  isRight([](Program &p) {
    p.custom(2, 2);
    p.chunk(0, Input, 0, 2).copy(1, Output, 0);
    p.chunk(1, Input, 1).copy(1, Output, 1);
    p.chunk(1, Output, 0, 2).copy(2, Output, 0);
  });
}

TEST_CASE("4: a sum that is partly overwritten after it was sent", "[mscclang]") {
  isRight([](Program &p) {
    p.custom(2, 2);
    p.chunk(1, Input, 0, 2).copy(1, Output, 0);
    ChunkRef sum = p.chunk(1, Output, 0, 2).reduce(p.chunk(0, Input, 0, 2));
    sum.copy(2, Output, 0);
    p.chunk(3, Input, 0).copy(1, Output, 0);
  });
}

TEST_CASE("5: scratch buffers with different layouts on the ranks", "[mscclang]") {
  isRight([](Program &p) {
    p.custom(4, 4);
    dsl::Buffer first = p.scratch("first"), second = p.scratch("second");
    for (int r = 1; r < 4; ++r)
      p.chunk(r, Input, 0, r).copy(r, first, 0);
    ChunkRef chunk = p.chunk(0, Input, 3);
    for (int r = 1; r < 4; ++r)
      chunk = chunk.copy(r, second, 0);
    chunk.copy(0, Output, 0);
    for (int r = 1; r < 4; ++r) {
      p.chunk(r, first, 0, r).copy(r, Output, 0);
      p.chunk(r, second, 0).copy(r, Output, 3);
    }
  });
}

TEST_CASE("6: waits of consecutive reduces that depend on each other's sends", "[mscclang]") {
  isRight([](Program &p) {
    p.custom(3, 2);
    dsl::Buffer back = p.scratch("back"), there = p.scratch("there");
    p.chunk(0, Input, 0).copy(0, Output, 0);
    ChunkRef sum = p.chunk(0, Output, 0);
    for (int round = 0; round < 3; ++round) {
      ChunkRef away = sum.copy(1, there, round);
      away.reduce(p.chunk(1, Input, round));
      ChunkRef again = away.copy(0, back, round);
      sum.reduce(again);
      sum.reduce(p.chunk(0, Input, round));
    }
    sum.copy(2, Output, 1);
  });
}

TEST_CASE("7: a program that begins with a local reduce", "[mscclang]") {
  isRight([](Program &p) {
    p.custom(2, 1);
    ChunkRef sum = p.chunk(0, Input, 0).reduce(p.chunk(0, Input, 1));
    sum.copy(1, Output, 0);
    p.chunk(1, Output, 0).copy(2, Output, 0);
  });
}

TEST_CASE("8: several chunks in one operation, in several instances", "[mscclang]") {
  isRight(
      [](Program &p) {
        const int R = p.ranks();
        for (int r = 0; r < R; ++r)
          p.chunk(r, Input, 0).copy(r, Output, r);
        for (int have = 1; have < R; have *= 2)
          for (int r = 0; r < R; ++r) {
            int mine = r / have * have;
            p.chunk(r, Output, mine, have).copy(r ^ have, Output, mine);
          }
      },
      {.kind = CollectiveKind::AllGather, .ranks = 8, .instances = 2});
}

TEST_CASE("9: two threadblocks on one connection", "[mscclang]") {
  isRefused(
      [](Program &p) {
        p.custom(2, 2);
        p.chunk(0, Input, 0).copy(1, Output, 0, {.channel = 0, .sendTb = 0});
        p.chunk(0, Input, 1).copy(1, Output, 1, {.channel = 0, .sendTb = 1});
      },
      "tb");
}

TEST_CASE("10: an operation without a channel beside one with a channel", "[mscclang]") {
  isRight([](Program &p) {
    p.custom(2, 2);
    p.chunk(0, Input, 0).copy(1, Output, 0, {.channel = 1, .sendTb = 0, .recvTb = 0});
    p.chunk(0, Input, 1).copy(1, Output, 1, {.sendTb = 0, .recvTb = 0});
    p.chunk(1, Output, 0).copy(2, Output, 0);
  });
}

TEST_CASE("11: an all-to-all that ignores its in-place setting", "[mscclang]") {
  auto naive = [](Program &p) {
    for (int r = 0; r < p.ranks(); ++r)
      for (int d = 0; d < p.ranks(); ++d)
        p.chunk(r, Input, d).copy(d, Output, r);
  };
  isRight(naive, {.kind = CollectiveKind::AllToAll});
  isRefused(naive, "expected r", {.kind = CollectiveKind::AllToAll, .buffers = Buffers::InPlace});
}

TEST_CASE("12: flows that join on one connection and separate again", "[mscclang]") {
  isRight([](Program &p) {
    p.custom(4, 4);
    for (int c = 0; c < 4; ++c) {
      ChunkRef chunk = p.chunk(0, Input, c).copy(1, Output, c);
      chunk.copy(2 + c % 2, Output, c);
    }
    for (int c = 0; c < 4; ++c) {
      ChunkRef chunk = p.chunk(2 + c / 2, Input, c).copy(1, Output, c);
      chunk.copy(0, Output, c);
    }
  });
}
