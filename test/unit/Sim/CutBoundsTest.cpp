//===- CutBoundsTest.cpp - Cuts against enumeration -----------------------===//
//
// On small machines all sets of nodes are enumerated, and the data that cross a cut
// are computed as sets.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/CutBounds.h"

#include "Simulation.h"

#include <map>
#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {

/// The endpoint nodes inside a cut that is named after a node.
std::set<uint32_t> insideOf(const Simulation &sim, StringRef node) {
  for (uint32_t e = 0; e < sim.machine.numEndpoints(); ++e)
    if (sim.machine.nodes()[sim.machine.endpointNode(EndpointId(e)).index()].name == node)
      return {e};
  std::set<uint32_t> result;
  uint32_t first = 0, last = 0;
  REQUIRE(node.consume_front("ranks "));
  REQUIRE_FALSE(node.consumeInteger(10, first));
  REQUIRE(node.consume_front(" to "));
  REQUIRE_FALSE(node.consumeInteger(10, last));
  for (uint32_t r = first; r <= last; ++r)
    result.insert(sim.bound.endpointOf[r].index());
  return result;
}

/// The smallest capacity of the outgoing links of a set of nodes, over all sets that contain the
/// endpoints of one side and none of the other.
uint64_t smallestCut(const Simulation &sim, const std::set<uint32_t> &from) {
  const Machine &m = sim.machine;
  REQUIRE(m.nodes().size() <= 12);
  uint32_t must = 0, mustNot = 0;
  for (EndpointId endpoint : sim.bound.endpointOf)
    (from.count(endpoint.index()) ? must : mustNot) |= 1u << m.endpointNode(endpoint).index();
  uint64_t smallest = ~uint64_t(0);
  for (uint32_t set = 0; set < 1u << m.nodes().size(); ++set) {
    if ((set & must) != must || (set & mustNot))
      continue;
    uint64_t capacity = 0;
    for (const Link &link : m.links())
      if (link.present && (set >> link.from.index() & 1) && !(set >> link.to.index() & 1))
        capacity += link.bandwidth.bytesPerSecond();
    smallest = std::min(smallest, capacity);
  }
  return smallest;
}

/// The data that the ranks at endpoints \p from have to send to the others: chunks, and sums of
/// them.
uint64_t necessaryChunks(const Simulation &sim, const std::set<uint32_t> &from) {
  const Collective &collective = sim.bound.plan.info().collective;
  auto isFrom = [&](uint32_t rank) { return from.count(sim.bound.endpointOf[rank].index()) != 0; };
  std::set<std::set<std::pair<uint32_t, uint32_t>>> values;
  for (uint32_t r = 0; r < collective.ranks(); ++r)
    for (uint32_t c = 0; c < collective.outputChunks() && !isFrom(r); ++c) {
      Expectation expected = collective.expected(RankId(r), c);
      std::set<std::pair<uint32_t, uint32_t>> part;
      for (uint32_t q = 0; q < collective.ranks(); ++q) {
        bool needed = expected.kind == Expectation::Kind::SumAll ||
                      (expected.kind == Expectation::Kind::Chunk && expected.rank.index() == q);
        if (needed && isFrom(q))
          part.insert({q, expected.index});
      }
      if (!part.empty())
        values.insert(part);
    }
  return values.size();
}

uint64_t plannedChunks(const Simulation &sim, const std::set<uint32_t> &from) {
  uint64_t chunks = 0;
  for (const Connection &connection : sim.bound.connections.connections()) {
    auto endpoint = [&](uint32_t tb) {
      return sim.bound.endpointOf[sim.bound.plan.threadblocks()[tb].rank.index()].index();
    };
    if (from.count(endpoint(connection.senderTb)) && !from.count(endpoint(connection.receiverTb)))
      forEachMessage(sim.bound.plan, connection, [&](uint32_t send, uint32_t) {
        chunks += sim.bound.plan.steps()[send].count;
      });
  }
  return chunks;
}

void checkCuts(const ExecPlan &plan, const Machine &machine, bool isSmall) {
  // A size that is a multiple of every number of chunks.
  uint64_t chunks = Sizing::chunksOfBuffer(plan.info().collective);
  Simulation sim(plan, machine, chunks * 4096, DataType::F32, plan.slots());
  int64_t time = sim.time("cut-through");
  std::vector<CutBound> bounds = CutBounds(sim.bound, "cut-through").of(sim.sizing);
  CHECK((plan.ranks() == 1) == bounds.empty());
  SimTime before = SimTime::max();
  for (const CutBound &bound : bounds) {
    INFO(bound.cut);
    CHECK(bound.least <= before);
    before = bound.least;
    CHECK(bound.necessary <= bound.planned);
    CHECK(bound.leastPlanned.picoseconds() <= time);
    REQUIRE(bound.capacity);
    if (!bound.capacity->isUnlimited())
      CHECK(bound.least.picoseconds() == int64_t(Wide(bound.necessary.count()) * 1'000'000'000'000 /
                                                 bound.capacity->bytesPerSecond()));
    if (!isSmall)
      continue;
    StringRef name = bound.cut;
    bool out = name.consume_front("out of ");
    REQUIRE((out || name.consume_front("into ")));
    std::set<uint32_t> from = insideOf(sim, name);
    if (!out) {
      std::set<uint32_t> others;
      for (EndpointId endpoint : sim.bound.endpointOf)
        if (!from.count(endpoint.index()))
          others.insert(endpoint.index());
      from = others;
    }
    CHECK(bound.capacity->bytesPerSecond() == smallestCut(sim, from));
    CHECK(bound.necessary.count() == 4096 * necessaryChunks(sim, from));
    CHECK(bound.planned.count() == 4096 * plannedChunks(sim, from));
  }
}
} // namespace

TEST_CASE("bounds of cuts match enumeration, and no plan beats them", "[sim][cuts]") {
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    for (const char *target : {"ring", "mesh2d", "torus2d", "fully-connected"}) {
      INFO(target);
      bool isSmall = plan.ranks() <= 9;
      checkCuts(plan, machine(target, {}, plan.ranks()), isSmall);
    }
    checkCuts(plan, machine("ahbm", {}, plan.ranks()), false);
  }
}

TEST_CASE("cuts follow the hierarchy", "[sim][cuts]") {
  ExecPlan plan = compiled({"allreduce_ring", {}, 256, 1, {}, "ahbm"});
  Machine m = machine("ahbm", {}, 256);
  Simulation sim(plan, m, 256 * 1024);
  std::vector<CutBound> bounds = CutBounds(sim.bound, "cut-through").of(sim.sizing);
  std::map<std::string, const CutBound *> byName;
  for (const CutBound &bound : bounds)
    byName[bound.cut] = &bound;
  // Independent of the algorithm, the whole buffer leaves every group once and enters it once.
  for (const char *name : {"out of sip 0", "into sip 0", "out of cube 5 of sip 1",
                           "into cube 5 of sip 1", "out of ranks 0 to 127"}) {
    INFO(name);
    REQUIRE(byName.count(name));
    CHECK(byName[name]->necessary == Bytes(256 * 1024));
    // A ring passes through each group once: 2(R-1)/R of the buffer.
    CHECK(byName[name]->planned == Bytes(2 * 255 * 1024));
  }
  CHECK(byName["out of sip 0"]->capacity == byName["into sip 0"]->capacity);
  CHECK_FALSE(byName.count("out of sip 1")); // the same cut as the other one
  CHECK(byName.count("out of cube 15 of sip 1"));
}

TEST_CASE("many endpoints are separated at their own links", "[sim][cuts]") {
  ExecPlan plan = compiled({"allreduce_ring", {}, 65});
  Machine m = machine("ring", {}, 65);
  Simulation sim(plan, m, 65 * 1024);
  uint32_t single = 0;
  for (const CutBound &bound : CutBounds(sim.bound, "cut-through").of(sim.sizing))
    if (StringRef(bound.cut).contains(" n")) {
      ++single;
      CHECK(bound.capacity == Bandwidth(200'000'000'000));
      CHECK(bound.necessary == Bytes(65 * 1024));
    }
  CHECK(single == 2 * 65);
}

TEST_CASE("a group of one PE is cut at its parent", "[sim][cuts]") {
  // Two cubes with one participating PE each: the cut is between the cubes, not at the PE.
  ExecPlan plan = compiled({"allreduce_ring", {}, 2});
  Machine m = machine("ahbm", {"cubes.width=1", "cubes.height=1", "cubes.pes=1"}, 2);
  Simulation sim(plan, m, 65536);
  std::vector<CutBound> bounds = CutBounds(sim.bound, "cut-through").of(sim.sizing);
  REQUIRE(bounds.size() == 2);
  CHECK(bounds[0].cut == "into sip 0");
  CHECK(bounds[0].capacity == Bandwidth(512'000'000'000));
}

TEST_CASE("a cut without a path has no bound", "[sim][cuts]") {
  // A plan without steps, which no proof would accept.
  for (uint32_t ranks : {4u, 65u}) {
    ProgramInfo info(Collective(CollectiveKind::AllGather, ranks, 1));
    info.name = "nothing";
    info.placements = Placements::outOfPlace();
    DiagnosticEngine diags;
    ExecPlan plan = std::move(*ExecPlanBuilder(info).finish(diags));
    Machine m = machine("ring", {"links.n0->*=off"}, ranks);
    Simulation sim(plan, m, ranks * 1024);
    CutBounds cuts(sim.bound, "cut-through");
    std::optional<CutBound> first = cuts.tightest(sim.sizing);
    REQUIRE(first);
    CHECK(first->cut == "out of n0");
    CHECK_FALSE(first->capacity);
    CHECK(first->necessary == Bytes(1024));
    CHECK(first->least == SimTime::max());
    for (const CutBound &bound : cuts.of(sim.sizing))
      CHECK(bound.capacity.has_value() == (bound.cut != "out of n0"));
  }
}
