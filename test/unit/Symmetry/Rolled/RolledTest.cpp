//===- RolledTest.cpp - Rolled plans and their proof ----------------------===//
//
// The oracle is the unrolled plan: the compiler's own plan of the whole program, and the proof of
// plans, which knows nothing of groups.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/DSL/DSL.h"
#include "cclc/IR/Verifier.h"
#include "cclc/Symmetry/Rolled/VerifyRolled.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace cclc;
using namespace cclc::test;
using dsl::Declaration;
using dsl::Program;

namespace {

/// A ring over rows, then over columns, of a torus of 4 x \p width ranks.
void torusAllGather(Program &p) {
  const int H = 4, W = p.ranks() / H;
  p.orbit({{.ranks = H, .stride = W}, {.ranks = W}}, [&] {
    dsl::ChunkRef chunk = p.chunk(0, dsl::Input, 0).copy(0, dsl::Output, 0);
    for (int x = 1; x < W; ++x)
      chunk = chunk.copy(x, dsl::Output, 0);
  });
  p.orbit({{.ranks = H, .stride = W}, {.ranks = W}}, [&] {
    for (int x = 0; x < W; ++x) {
      dsl::ChunkRef chunk = p.chunk(0, dsl::Output, x);
      for (int y = 1; y < H; ++y)
        chunk = chunk.copy(y * W, dsl::Output, x);
    }
  });
}

Declaration torus() {
  Declaration d("torus");
  d.collective(CollectiveKind::AllGather)
      .buffers(dsl::Buffers::Both, dsl::Buffers::InPlace)
      .body(torusAllGather);
  return d;
}

/// Rings over the ranks with one number in nodes of 4 ranks, then direct messages inside nodes.
void railAllGather(Program &p) {
  const int W = std::min(4, p.ranks()), H = p.ranks() / W;
  const std::vector<dsl::Rotation> nodesAndRanks = {{.ranks = H, .stride = W}, {.ranks = W}};
  p.orbit(nodesAndRanks, [&] {
    dsl::ChunkRef chunk = p.chunk(0, dsl::Input, 0).copy(0, dsl::Output, 0);
    for (int y = 1; y < H; ++y)
      chunk = chunk.copy(y * W, dsl::Output, 0);
  });
  p.orbit(nodesAndRanks, [&] {
    for (int y = 0; y < H; ++y)
      for (int x = 1; x < W; ++x)
        p.chunk(0, dsl::Output, y * W).copy(x);
  });
}

Declaration rails() {
  Declaration d("rails");
  d.collective(CollectiveKind::AllGather)
      .buffers(dsl::Buffers::Both, dsl::Buffers::InPlace)
      .body(railAllGather);
  return d;
}

struct Case {
  const Declaration &program;
  uint32_t ranks;
  std::string buffers;
  unsigned optimisation;
  CompileRequest request() const {
    CompileRequest request;
    request.ranks = ranks;
    request.parameters = {{"buffers", buffers}};
    request.optimisation = optimisation;
    return request;
  }
  std::string title() const {
    return program.name() + " " + std::to_string(ranks) + " " + buffers + " -O" +
           std::to_string(optimisation);
  }
};

template <class Fn> void forCases(Fn fn) {
  static const Declaration torusProgram = torus(), railsProgram = rails();
  for (const char *name :
       {"allreduce_ring", "allgather_ring", "reducescatter_ring", "allreduce_bidirectional_ring",
        "allgather_allpairs", "reducescatter_direct", "torus", "rails"})
    for (uint32_t ranks : {4, 7, 8, 9, 12, 16, 25}) {
      bool isTorus = StringRef(name) == "torus", isRails = StringRef(name) == "rails";
      if ((isTorus || isRails) && ranks % 4 != 0)
        continue;
      for (const char *buffers : {"in_place", "out_of_place", "both"})
        for (unsigned optimisation = 0; optimisation < 3; ++optimisation)
          fn(Case{isTorus   ? torusProgram
                  : isRails ? railsProgram
                            : bundled(name),
                  ranks, buffers, optimisation});
    }
}

RolledPlan rolled(const Case &one) {
  DiagnosticEngine diags;
  FailureOr<CompiledRolled> outcome = compileRolled(one.program, one.request(), diags);
  INFO(one.title() << ": " << textOf(diags));
  REQUIRE(succeeded(outcome));
  CHECK(outcome->report->verdict == Verdict::Ok);
  return std::move(outcome->plan);
}

uint32_t mostThreadblocks(const ExecPlan &plan) {
  uint32_t most = 0;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    most = std::max(most, plan.numThreadblocks(RankId(r)));
  return most;
}

} // namespace

TEST_CASE("unrolled plans are proved, and as good as those of the whole program") {
  unsigned plans[3] = {}, equal[3] = {}; ///< by the number of dimensions
  forCases([&](const Case &one) {
    INFO(one.title());
    RolledPlan plan = rolled(one);
    DiagnosticEngine diags;
    FailureOr<ExecPlan> all = unroll(plan, diags);
    REQUIRE(succeeded(all));
    PlanProof proof = verifyPlan(*all, *all->slots(), diags);
    CHECK(proof.verdict == Verdict::Ok);
    CHECK(proof.slotsNeeded == verifyRolled(plan, *all->slots(), diags).slotsNeeded);
    CHECK(textOf(diags) == "");

    FailureOr<Compiled> direct = compile(one.program, one.request(), diags);
    REQUIRE(succeeded(direct));
    const ExecPlan &whole = direct->plan;
    CHECK(proof.reductionHash == direct->report->reductionHash);
    // In two dimensions, the schedule of the whole program may differ between ranks.
    bool isEqual = all->steps().size() == whole.steps().size() &&
                   mostThreadblocks(*all) == mostThreadblocks(whole) &&
                   all->channels() == whole.channels() &&
                   proof.slotsNeeded == direct->report->slotsNeeded;
    equal[plan.group.factors().size()] += isEqual;
    ++plans[plan.group.factors().size()];
    CHECK(8 * all->steps().size() <= 9 * whole.steps().size());
    CHECK(mostThreadblocks(*all) <= mostThreadblocks(whole));
  });
  CHECK(equal[1] == plans[1]);
  CHECK(2 * equal[2] > plans[2]);
}

TEST_CASE("the symmetric programs of the library have right rolled plans") {
  std::vector<std::string> symmetric;
  for (const Declaration &program : bundledPrograms().all())
    for (uint32_t ranks : {12, 16}) {
      CompileRequest request;
      request.ranks = ranks;
      DiagnosticEngine diags, found;
      FailureOr<CompiledRolled> outcome = compileRolled(program, request, diags);
      if (failed(outcome))
        continue;
      INFO(program.name() << " " << ranks);
      FailureOr<ExecPlan> all = unroll(outcome->plan, found);
      REQUIRE(succeeded(all));
      CHECK(verifyPlan(*all, *all->slots(), found).verdict == Verdict::Ok);
      CHECK(textOf(found) == "");
      if (ranks == 16)
        symmetric.push_back(program.name());
    }
  CHECK(symmetric == std::vector<std::string>{
                         "allgather_allpairs", "allgather_grid", "allgather_rails",
                         "allgather_ring", "allreduce_bidirectional_ring", "allreduce_rails",
                         "allreduce_recursive_doubling", "allreduce_ring", "alltoall_direct",
                         "reducescatter_direct", "reducescatter_grid", "reducescatter_rails",
                         "reducescatter_ring"});
}

TEST_CASE("full connections delay all ranks alike") {
  for (uint32_t slots : {1, 2, 3}) {
    CompileRequest request;
    request.ranks = 32;
    request.slots = Slots(slots);
    DiagnosticEngine diags;
    FailureOr<CompiledRolled> outcome = compileRolled(torus(), request, diags);
    INFO(slots << ": " << textOf(diags));
    REQUIRE(succeeded(outcome));
    FailureOr<ExecPlan> all = unroll(outcome->plan, diags);
    REQUIRE(succeeded(all));
    PlanProof proof = verifyPlan(*all, request.slots.value(), diags);
    CHECK(proof.verdict == Verdict::Ok);
    CHECK(proof.slotsNeeded == outcome->report->slotsNeeded);
  }
}

TEST_CASE("folding keeps peers apart") {
  Case one{bundled("allreduce_ring"), 24, "in_place", 2};
  RolledPlan plan = rolled(one);
  CHECK(foldedRanks(plan).ranks() == 3);
  // 3 need not divide the number of ranks, which may be a prime.
  for (uint32_t ranks : {4, 7, 16, 31}) {
    one.ranks = ranks;
    CHECK(foldedRanks(rolled(one)).ranks() == 3);
  }
  // One rank has no peers, and two ranks are each other's only peer.
  one.ranks = 1;
  CHECK(foldedRanks(rolled(one)).ranks() == 1);
  one.ranks = 2;
  CHECK(foldedRanks(rolled(one)).ranks() == 2);
}

TEST_CASE("neighbours in many factors are numbered") {
  using Element = RotationGroup::Element;
  struct Numbered {
    std::vector<uint32_t> sizes;
    uint32_t ranks;
  };
  for (const Numbered &numbered :
       // Ten elements that are their own opposites, and a pair that are not: Z_2 x Z_2 x Z_2 x Z_4.
       {Numbered{{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 9}, 32},
        // Two and three pairs: Z_2 x Z_6, in which the opposites of a pair follow other elements.
        Numbered{{2, 2, 5, 5, 5}, 12}, Numbered{{2, 2, 3, 3, 3, 3}, 12},
        Numbered{{2, 2, 2, 5, 5, 5}, 12}, Numbered{{5, 5, 5, 5}, 9},
        // Where numbers save less than half of the ranks, factors have the same group.
        Numbered{{9, 9}, 9}}) {
    std::vector<RotationFactor> factors;
    for (uint32_t size : numbered.sizes)
      factors.push_back({size, 1, {0, 0}});
    RotationGroup group(factors);
    std::vector<Element> distances;
    std::set<Element> all = {group.identity()};
    for (size_t k = 0; k < factors.size(); ++k) {
      distances.push_back(group.identity());
      distances.back()[k] = 1;
      all.insert({distances.back(), group.difference(group.identity(), distances.back())});
    }
    FoldedRanks ranks = FoldedRanks::smallest(group, distances);
    CHECK(ranks.ranks() == numbered.ranks);
    for (uint32_t r = 0; r < ranks.ranks(); ++r) {
      RankId rank(r);
      CHECK(ranks.at(rank, group.identity()) == rank);
      std::set<RankId> neighbours;
      for (const Element &distance : all) {
        Element back = group.difference(group.identity(), distance);
        CHECK(ranks.at(ranks.at(rank, distance), back) == rank);
        CHECK(ranks.between(rank, ranks.at(rank, distance)) == ranks.at(RankId(0), distance));
        neighbours.insert(ranks.at(rank, distance));
      }
      CHECK(neighbours.size() == all.size());
    }
  }
}

TEST_CASE("a program that permutes the chunks of an operation has no rolled plan") {
  CompileRequest request;
  request.ranks = 8;
  DiagnosticEngine diags;
  CHECK(failed(compileRolled(bundled("allreduce_halving_doubling"), request, diags)));
  CHECK(diags.failure() == Failure::Unusable);
  CHECK(StringRef(textOf(diags)).contains("permute the chunks of an operation"));
}

TEST_CASE("a rolled plan that writes a read-only input is refused") {
  DiagnosticEngine diags;
  FailureOr<AnyPlan> plan = readAnyPlan(R"(ccl.version 4
exec.program @ag coll allgather ranks 2 chunks 1 rotation 2 stride 1 i 0 o 1 outofplace slots 8 {
  rank 0 {
    tb 0 send r1 recv r1 ch 0 {
      0: cpy i[0] -> o[0]
      1: cpy o[0] -> i[0]
      2: s o[0]
      3: r -> o[1]
    }
  }
}
)",
                                        "plan", diags);
  INFO(textOf(diags));
  REQUIRE(succeeded(plan));
  RolledPlan &rolled = std::get<RolledPlan>(*plan);
  CHECK(verifyRolled(rolled, Slots(8), diags).verdict == Verdict::WrongResult);
  CHECK(textOf(diags) == "plan:6:7: error: wrong result on every rank: r0 tb0 step 1 (cpy) writes "
                         "the input, which is read-only out of place\n");
  rolled.info.placements = Placements::inPlace();
  CHECK(verifyRolled(rolled, Slots(8), diags).verdict == Verdict::Ok);
}

TEST_CASE("the tables of a rolled plan name all ranks") {
  RolledPlan plan = rolled({bundled("allgather_ring"), 8, "in_place", 2});
  for (uint32_t r = 0; r < 8; ++r) {
    plan.info.neighbours.push_back({RankId(r), Direction::E, RankId((r + 1) % 8)});
    plan.info.neighbours.push_back({RankId(r), Direction::W, RankId((r + 7) % 8)});
  }
  llvm::sort(plan.info.neighbours);
  DiagnosticEngine diags;
  CHECK(verifyRolled(plan, Slots(8), diags).verdict == Verdict::Ok);
  CHECK(textOf(diags) == "");
  plan.info.neighbours.pop_back();
  CHECK(verifyRolled(plan, Slots(8), diags).verdict == Verdict::Malformed);
  CHECK(verifyTables(plan.info, Generations::Allocated, {}, diags).failed());
}

TEST_CASE("programs that are not symmetric have no rolled plan") {
  auto refused = [](const Declaration &declaration, CompileRequest request = {}) {
    DiagnosticEngine diags;
    CHECK(failed(compileRolled(declaration, request, diags)));
    std::string text = textOf(diags);
    return text.substr(text.find("error: ") + 7);
  };
  CHECK(refused(bundled("allgather_bruck")) ==
        "the program is not symmetric: it has operations outside of orbits\n");
  CompileRequest channels;
  channels.parameters = {{"channels", "2"}};
  CHECK(refused(bundled("allreduce_ring"), channels) ==
        "the program is not symmetric: it reads the number of the repetition\n");
  auto program = [](void (*body)(Program &), CollectiveKind kind = CollectiveKind::AllReduce) {
    Declaration d("p");
    d.collective(kind).ranks(4, 4).body(body);
    return d;
  };
  CHECK(refused(program([](Program &p) { p.orbit({{.ranks = 2}}, [] {}); })) ==
        "the program is not symmetric: the rotations of the orbits do not map every rank to every "
        "other one\n");
  CHECK(refused(program([](Program &p) { p.orbit({{.ranks = 4}}, [] {}); },
                        CollectiveKind::Broadcast)) ==
        "the program is not symmetric: the collective is not symmetric under rotations\n");
  CHECK(refused(program([](Program &p) {
          p.chunks(4);
          p.orbit({{.ranks = 4, .chunks = 1}}, [] {});
          p.orbit({{.ranks = 4}}, [] {});
        })) == "the program is not symmetric: its orbits have different rotations\n");
  CHECK(refused(program([](Program &p) {
          p.orbit({{.ranks = 4}}, [&] {
            dsl::ChunkRef mine = p.chunk(0, dsl::Output, 0);
            mine.copy(1);
          });
        })) == "the program is not symmetric: repetitions of an orbit access r1:o[0], and one "
               "writes it\n");
  CHECK(refused(program([](Program &) {})) == "the program is not symmetric: it has no orbit\n");
}

TEST_CASE("an incorrect symmetric program is refused") {
  Declaration d("short");
  d.collective(CollectiveKind::AllGather).body([](Program &p) {
    p.orbit({{.ranks = p.ranks()}}, [&] {
      dsl::ChunkRef chunk = p.chunk(0, dsl::Output, 0);
      for (int r = 1; r + 1 < p.ranks(); ++r)
        chunk = chunk.copy(r);
    });
  });
  DiagnosticEngine diags;
  CompileRequest request;
  request.ranks = 8;
  CHECK(failed(compileRolled(d, request, diags)));
  CHECK(diags.failure() == Failure::Wrong);
  CHECK(textOf(diags) == "tool: error: wrong result on every rank: r0:o[1] has no value\n");
}
