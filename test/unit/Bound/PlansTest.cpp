//===- PlansTest.cpp - No plan is faster than its bound -------------------===//
//
// Random plans of every collective, which move each chunk over a random route of ranks and add each
// sum along a random tree, are simulated on random machines, sizes and networks. Set
// CCLC_BOUND_PLANS to try more of them.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/CollectiveBound.h"

#include "Sim/Simulation.h"

#include "cclc/Limits/PlanCheck.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Sim/SizeMemory.h"
#include "cclc/Sim/SizeVerifier.h"

#include "../../support/RandomPlan.h"

#include <cstdlib>

using namespace cclc;
using namespace cclc::test;

namespace {
struct Cell {
  uint32_t rank;
  ChunkBuffer buffer;
  uint32_t index;
};

/// Computes a collective out of place.
class CollectiveProgram {
public:
  CollectiveProgram(ProgramInfo info, Random &random)
      : random(random), collective(info.collective), builder(std::move(info)) {
    scratch = ChunkBuffer::scratch(builder.scratchBuffer("relay"));
    used.resize(collective.ranks());
  }

  ChunkProgram run() {
    for (uint32_t r = 0; r < collective.ranks(); ++r)
      for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
        Expectation expected = collective.expected(RankId(r), c);
        Cell output{r, ChunkBuffer::output(), c};
        if (expected.kind == Expectation::Kind::Chunk)
          send({expected.rank.index(), ChunkBuffer::input(), expected.index}, output);
        if (expected.kind == Expectation::Kind::Sum)
          send(sumOf(expected.rank.index() + 1, expected.index), output);
      }
    for (uint32_t r = 0; r < collective.ranks(); ++r)
      builder.growScratch(0, RankId(r), used[r]);
    DiagnosticEngine diags;
    FailureOr<ChunkProgram> program = std::move(builder).finish(diags);
    if (failed(program))
      FAIL(textOf(diags));
    return std::move(*program);
  }

private:
  void add(Cell from, Cell to, ChunkOpKind kind) {
    builder.add({RankId(from.rank), RankId(to.rank), from.index, to.index, 1, LocTable::unknown(),
                 from.buffer, to.buffer, 0, 0, kind});
  }
  Cell fresh(uint32_t rank) { return {rank, scratch, used[rank]++}; }

  void send(Cell from, Cell to) {
    for (uint32_t hops = random.chance(70) ? 0 : random.between(1, 2); hops > 0; --hops) {
      Cell relay = fresh(random.below(collective.ranks()));
      add(from, relay, ChunkOpKind::Copy);
      from = relay;
    }
    add(from, to, ChunkOpKind::Copy);
  }

  /// A cell with the sum of chunk \p index of the first \p ranks, computed once in most programs.
  Cell sumOf(uint32_t ranks, uint32_t index) {
    if (auto known = sums.find({ranks, index}); known != sums.end() && random.chance(90))
      return known->second;
    std::vector<Cell> parts;
    for (uint32_t r = 0; r < ranks; ++r) {
      parts.push_back(fresh(r));
      add({r, ChunkBuffer::input(), index}, parts.back(), ChunkOpKind::Copy);
    }
    while (parts.size() > 1) {
      std::swap(parts[random.below(parts.size())], parts.back());
      Cell from = parts.back();
      parts.pop_back();
      add(from, parts[random.below(parts.size())], ChunkOpKind::Reduce);
    }
    sums.insert_or_assign({ranks, index}, parts.front());
    return parts.front();
  }

  Random &random;
  Collective collective;
  ChunkProgramBuilder builder;
  ChunkBuffer scratch = ChunkBuffer::input();
  std::vector<uint32_t> used;                         ///< scratch chunks by rank
  std::map<std::pair<uint32_t, uint32_t>, Cell> sums; ///< by number of ranks and index
};

ExecPlan randomCollective(Random &random, Protocol protocol) {
  using enum CollectiveKind;
  constexpr CollectiveKind kinds[] = {AllReduce, AllGather, ReduceScatter, AllToAll,
                                      AllToNext, Broadcast, Reduce,        Gather,
                                      Scatter,   SendRecv,  Scan,          Exscan};
  uint32_t ranks = random.between(2, 9);
  ProgramInfo info(Collective(kinds[random.below(12)], ranks, random.between(1, 3),
                              RankId(random.below(ranks))));
  info.name = "random";
  info.placements = Placements::outOfPlace();
  info.protocol = protocol;
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<InstrProgram> instrs =
      optimised(CollectiveProgram(info, random).run(), random.chance(70), context);
  ScheduleOptions how;
  FailureOr<ExecPlan> plan = failure();
  if (succeeded(instrs))
    plan = scheduleProgram(std::move(*instrs), how, context);
  if (failed(plan))
    FAIL(textOf(diags));
  return std::move(*plan);
}

struct Place {
  const char *target;
  std::vector<std::string> overrides;
};
const std::vector<Place> places = {
    {"ring", {}},
    {"ring", {"queue.slot_size=4096", "links.n0->n1.bandwidth=5e9"}},
    {"mesh2d", {}},
    {"torus2d", {"queue.slot_size=1024", "pe.dma_bandwidth=20e9"}},
    {"ring", {"pe.dma_bandwidth=20e9"}},
    {"fully-connected", {"pe.dma_bandwidth=120e9"}},
    {"ring", {"pe.dma_bandwidth=20e9", "queue.one_sided_reads=all"}},
    {"fully-connected", {"pe.math.cycle=1e-9", "pe.math.bytes_per_cycle=2"}},
    {"fully-connected", {"limits.threadblocks=3"}},
    {"ahbm", {"ipcq.multiplex=on"}},
    {"ahbm", {"ipcq.multiplex=on", "cubes.pes=1", "cubes.width=2", "cubes.height=2"}},
    {"ahbm", {"ipcq.multiplex=on", "ipcq.slot_memory=hbm", "memory.load_store=off"}},
    {"ahbm",
     {"ipcq.multiplex=on", "cubes.pes=1", "cubes.width=2", "cubes.height=2", "ipcq.slot_size=512",
      "memory.load_store=off"}},
    {"ahbm",
     {"ipcq.multiplex=on", "cubes.pes=1", "cubes.width=1", "cubes.height=2", "sips.count=4",
      "memory.load_store=off"}},
    {"ahbm",
     {"ipcq.multiplex=on", "cubes.pes=1", "cubes.width=1", "cubes.height=3", "sips.count=3",
      "pe.streams=2", "pe.dma_bandwidth=10e12"}},
    {"bluefield3", {}},
    {"bluefield3", {"queue.one_sided_reads=all"}},
    {"ring", {"queue.one_sided_reads=scratch", "queue.slot_size=4096"}},
    {"ndv4", {"gpus_per_node=4"}},
    {"dgx-h100", {"gpus_per_node=2"}},
    {"dgx-h100", {"limits.threadblocks=4"}},
    {"mi300x", {"ranks=9", "launch_interval=0"}},
    {"dgx1", {}},
    {"dgx1", {"links.gpu0->gpu1=off"}},
};

/// Returns whether the plan could be simulated.
bool checkPlanTime(uint64_t seed) {
  Random random(seed);
  const Place &place = places[random.below(places.size())];
  Protocol protocol = Protocol(random.below(3));
  ExecPlan plan = randomCollective(random, protocol);
  Machine m = machine(place.target, place.overrides, plan.ranks());
  if (m.numEndpoints() < plan.ranks())
    return false;
  uint64_t bytes = uint64_t(4) << random.between(0, 20);
  DiagnosticEngine diags;
  Slots slots = random.chance(70) ? m.slotsFor(protocol) : Slots(random.between(8, 64));
  PlanProof proof = verifyPlan(plan, slots, diags);
  if (proof.verdict != Verdict::Ok || failed(checkPlan(plan, m, slots, diags, proof.slotsNeeded)))
    return false;
  Simulation sim(plan, m, bytes, DataType::F32, slots);
  if (!SizeVerifier(sim.placed, proof.slotsNeeded).prove(sim.sizing).safe ||
      failed(checkMemory(sim.placed, sim.sizing, diags)))
    return false;
  const char *network = networks[random.below(5)];
  INFO("seed " << seed << ": " << collectiveName(plan.info().collective.kind()) << " of "
               << plan.ranks() << " ranks on " << place.target << " with " << bytes
               << " bytes under " << network);
  CollectiveBound bounds({m, sim.placed.endpointOf, plan.info().collective, network,
                          m.hasProtocols() ? std::optional(protocol) : std::nullopt});
  SizeBound bound = bounds.at(Bytes(bytes));
  SimTime time(sim.time(network));
  INFO(boundName(bound.binds).str() << ": " << bound.witness);
  CHECK(time.picoseconds() >= bound.time().picoseconds());
  // The bound for any protocol is not larger.
  if (random.chance(20))
    CHECK(CollectiveBound({m, sim.placed.endpointOf, plan.info().collective, network})
              .at(Bytes(bytes))
              .time() <= bound.time());
  return true;
}
} // namespace

TEST_CASE("no random plan is faster than its bound", "[bound][plans]") {
  const char *number = std::getenv("CCLC_BOUND_PLANS");
  uint64_t plans = number ? std::strtoull(number, nullptr, 10) : 600, simulated = 0;
  for (uint64_t seed = 0; seed < plans; ++seed)
    simulated += checkPlanTime(seed);
  CHECK(simulated >= plans / 2);
}

TEST_CASE("no bundled program is faster than its bound", "[bound][plans]") {
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    for (const char *target : {"ring", "mesh2d", "torus2d", "fully-connected", "ahbm"}) {
      INFO(target);
      Machine m = machine(target, {}, plan.ranks());
      uint64_t bytes = chunksOfBuffer(plan.info().collective) * 4096;
      Simulation sim(plan, m, bytes, DataType::F32, plan.slots());
      CollectiveBound bounds({m, sim.placed.endpointOf, plan.info().collective, "cut-through"});
      CHECK(sim.time("cut-through") >= bounds.at(Bytes(bytes)).time().picoseconds());
    }
  }
}
