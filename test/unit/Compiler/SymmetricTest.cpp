//===- SymmetricTest.cpp - Symmetric programs with many ranks -------------===//
//
// A program is compiled on folded ranks unless a stage before the plan is observed. The oracle is
// therefore the compilation whose traced program is observed, which compiles all ranks.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include "cclc/DSL/DSL.h"

using namespace cclc;
using namespace cclc::test;
using dsl::Declaration;
using dsl::Program;

namespace {

struct Compilation {
  FailureOr<Compiled> outcome;
  std::string messages;
  std::vector<std::string> stages;
  Failure failure = Failure::Unusable; ///< of an outcome that failed
  bool isUnrolled() const { return llvm::is_contained(stages, "unroll"); }
};

Compilation run(const Declaration &program, CompileRequest request, bool observed) {
  Compilation result{failure(), {}, {}};
  if (observed)
    request.onChunkProgram = [](const ChunkProgram &) {};
  request.onStage = [&](StringRef stage) { result.stages.push_back(stage.str()); };
  DiagnosticEngine diags;
  result.outcome = compile(program, request, diags);
  result.messages = textOf(diags);
  result.failure = diags.failure();
  return result;
}

/// Compares the compilation on folded ranks, which must take place, with that of all ranks.
void compare(const Declaration &program, const CompileRequest &request) {
  Compilation folded = run(program, request, /*observed=*/false);
  Compilation whole = run(program, request, /*observed=*/true);
  INFO(program.name() << " -O" << request.optimisation);
  CHECK(folded.isUnrolled());
  REQUIRE(!whole.isUnrolled());
  REQUIRE(succeeded(whole.outcome));
  REQUIRE(succeeded(folded.outcome));
  const Compiled &one = *folded.outcome, &other = *whole.outcome;
  CHECK(binaryOf(one.plan) == binaryOf(other.plan));
  CHECK(one.counters == other.counters);
  CHECK(one.chunkOps == other.chunkOps);
  CHECK(one.report->slotsNeeded == other.report->slotsNeeded);
  CHECK(one.report->reductionHash == other.report->reductionHash);
  CHECK(folded.messages == whole.messages);
}

CompileRequest requestOf(uint32_t ranks, std::string buffers) {
  CompileRequest request;
  request.ranks = ranks;
  request.parameters = {{"buffers", std::move(buffers)}};
  return request;
}

/// A ring all-gather that stops one hop early.
void shortRing(Program &p) {
  const int R = p.ranks();
  p.orbit({{.ranks = R}}, [&] {
    dsl::ChunkRef chunk = p.chunk(0, dsl::Input, 0).copy(0, dsl::Output, 0);
    for (int hop = 1; hop < R - 1; ++hop)
      chunk = chunk.copy(hop, dsl::Output, 0);
  });
}

/// A ring whose two halves of the ranks use two channels.
void halves(Program &p) {
  const int R = p.ranks();
  p.orbit({{.ranks = R}}, [&] {
    dsl::Via via;
    via.channel = p.repetition() % 2;
    dsl::ChunkRef chunk = p.chunk(0, dsl::Input, 0).copy(0, dsl::Output, 0);
    for (int hop = 1; hop < R; ++hop)
      chunk = chunk.copy(hop, dsl::Output, 0, via);
  });
}

/// Rings in 8 nodes, and rings across them: a chunk that is summed in a node turns to the other
/// nodes at a rank that other chunks pass.
void turningRings(Program &p) {
  const int R = p.ranks(), N = 8;
  p.chunks(R);
  auto sum = [&](int stride, int chunk) {
    dsl::ChunkRef sum = p.chunk(stride, dsl::Output, chunk);
    for (int hop = 2; hop <= N; ++hop) {
      dsl::ChunkRef next = p.chunk(hop % N * stride, dsl::Output, chunk);
      sum = next.reduce(sum);
    }
  };
  auto spread = [&](int stride, int index) {
    dsl::ChunkRef chunk = p.chunk(0, dsl::Output, index);
    for (int hop = 1; hop < N; ++hop)
      chunk = chunk.copy(hop * stride, dsl::Output, index);
  };
  const std::vector<dsl::Rotation> rotations = {{.ranks = N, .stride = N, .chunks = 1},
                                                {.ranks = N, .chunks = N}};
  p.orbit(rotations, [&] {
    for (int k = 0; k < N; ++k)
      sum(1, k);
  });
  p.orbit(rotations, [&] { sum(N, 0); });
  p.orbit(rotations, [&] { spread(N, 0); });
  p.orbit(rotations, [&] {
    for (int k = 0; k < N; ++k)
      spread(1, k);
  });
}

Declaration allGather(const std::string &name, void (*body)(Program &)) {
  Declaration d(name);
  d.collective(CollectiveKind::AllGather)
      .buffers(dsl::Buffers::Both, dsl::Buffers::InPlace)
      .body(body);
  return d;
}

} // namespace

TEST_CASE("Plans of symmetric programs are those of all ranks") {
  for (const char *name :
       {"allreduce_ring", "allgather_ring", "reducescatter_ring", "allreduce_bidirectional_ring"})
    for (const char *buffers : {"in_place", "out_of_place", "both"})
      for (uint32_t ranks : {64, 67}) {
        INFO(name << " " << buffers << " " << ranks);
        CompileRequest request = requestOf(ranks, buffers);
        compare(bundled(name), request);
        request.slots = Slots(2);
        compare(bundled(name), request);
      }
}

TEST_CASE("Plans of programs that invert bits of ranks are those of all ranks") {
  for (const char *name : {"allreduce_halving_doubling", "allreduce_recursive_doubling",
                           "allgather_recursive_doubling"})
    for (uint32_t ranks : {64, 256}) {
      INFO(name << " " << ranks);
      CompileRequest request = requestOf(ranks, "in_place");
      compare(bundled(name), request);
      request.slots = Slots(2);
      compare(bundled(name), request);
    }
}

TEST_CASE("Options that treat all ranks alike keep the compilation on folded ranks") {
  const Declaration &ring = bundled("allreduce_bidirectional_ring");
  CompileRequest request = requestOf(64, "both");
  for (unsigned optimisation = 0; optimisation < 3; ++optimisation) {
    request.optimisation = optimisation;
    compare(ring, request);
  }
  for (ScheduleGoal goal : {ScheduleGoal::Path, ScheduleGoal::Steps, ScheduleGoal::Threadblocks}) {
    request.goal = goal;
    compare(ring, request);
  }
  request.goal.reset();
  request.target = targetRequest("ring");
  compare(ring, request);
}

TEST_CASE("Chains that turn are placed among those of all ranks") {
  Declaration turns("turns");
  turns.collective(CollectiveKind::AllReduce)
      .buffers(dsl::Buffers::InPlace, dsl::Buffers::InPlace)
      .body(turningRings);
  Compilation plain = run(turns, requestOf(64, "in_place"), /*observed=*/false);
  Compilation whole = run(turns, requestOf(64, "in_place"), /*observed=*/true);
  INFO(whole.messages);
  REQUIRE(succeeded(plain.outcome));
  REQUIRE(succeeded(whole.outcome));
  CHECK(binaryOf(plain.outcome->plan) == binaryOf(whole.outcome->plan));
}

TEST_CASE("All ranks are compiled where ranks or requests differ") {
  const Declaration &ring = bundled("allgather_ring");
  CompileRequest request = requestOf(64, "in_place");
  auto compilesAllRanks = [](const Declaration &program, const CompileRequest &request) {
    Compilation done = run(program, request, /*observed=*/false);
    return succeeded(done.outcome) && !done.isUnrolled();
  };
  CHECK_FALSE(compilesAllRanks(ring, request));
  SECTION("few ranks") { request.ranks = 63; }
  SECTION("no proof") { request.verify = false; }
  SECTION("instances") { request.instances = 2; }
  SECTION("adjacent operations are merged") { request.aggregate = true; }
  SECTION("channels of repetitions") { request.parameters.emplace_back("channels", "2"); }
  CHECK(compilesAllRanks(ring, request));
  CHECK(compilesAllRanks(allGather("halves", halves), requestOf(64, "in_place")));
  CHECK(compilesAllRanks(bundled("allreduce_halving_doubling"), requestOf(96, "in_place")));
}

TEST_CASE("The error of a symmetric program is that of all ranks") {
  Declaration program = allGather("short_ring", shortRing);
  Compilation folded = run(program, requestOf(64, "in_place"), /*observed=*/false);
  Compilation whole = run(program, requestOf(64, "in_place"), /*observed=*/true);
  for (const Compilation *each : {&folded, &whole}) {
    CHECK(failed(each->outcome));
    CHECK(each->failure == Failure::Wrong);
  }
  CHECK(folded.messages == whole.messages);
  CHECK(StringRef(folded.messages).contains("wrong result: r0:o[1]"));
}

TEST_CASE("Programs with many ranks are checked if their plan is wrong") {
  Declaration right = bundled("alltoall_direct"), wrong("short_gather");
  wrong.collective(CollectiveKind::AllGather)
      .buffers(dsl::Buffers::InPlace, dsl::Buffers::InPlace)
      .body([](Program &p) {
        for (int r = 0; r + 1 < p.ranks(); ++r)
          p.chunk(r, dsl::Input, 0).copy(r + 1, dsl::Output, r);
      });
  for (uint32_t ranks : {63, 64}) {
    Compilation done = run(right, requestOf(ranks, "out_of_place"), /*observed=*/false);
    REQUIRE(succeeded(done.outcome));
    CHECK(llvm::is_contained(done.stages, "check") == (ranks < 64));
    CHECK(done.outcome->report->verdict == Verdict::Ok);
  }
  Compilation plain = run(wrong, requestOf(64, "in_place"), /*observed=*/false);
  Compilation observed = run(wrong, requestOf(64, "in_place"), /*observed=*/true);
  CHECK(failed(plain.outcome));
  CHECK(plain.failure == Failure::Wrong);
  CHECK(llvm::is_contained(plain.stages, "check"));
  CHECK(plain.messages == observed.messages);
  CHECK(StringRef(plain.messages).contains("wrong result"));
}
