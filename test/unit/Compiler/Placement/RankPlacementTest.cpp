//===- RankPlacementTest.cpp - Placement of ranks -------------------------===//
//
// Adjacency is determined from coordinates alone, times by the simulator.
//
//===----------------------------------------------------------------------===//

#include "../../Sim/Simulation.h"

#include <numeric>
#include <set>
#include <tuple>

using namespace cclc;
using namespace cclc::test;

namespace {

/// True if two different members of a grid are neighbours.
bool inGrid(const GridLevel &level, uint32_t a, uint32_t b) {
  auto apart = [](uint32_t p, uint32_t q, uint32_t size, bool wraps) {
    uint32_t d = p > q ? p - q : q - p;
    return wraps ? std::min(d, size - d) : d;
  };
  bool wraps = level.kind == GridKind::Ring1D || level.kind == GridKind::Torus2D;
  return level.kind == GridKind::Flat ||
         apart(a % level.width, b % level.width, level.width, wraps) +
                 apart(a / level.width, b / level.width, level.height, wraps) ==
             1;
}

/// True within one cube, and for adjacent cubes of a SIP and adjacent SIPs.
bool adjacent(const Geometry &geometry, uint32_t a, uint32_t b) {
  uint64_t inside = geometry.ranks();
  for (const GridLevel &level : geometry.levels) {
    inside /= level.size();
    uint32_t p = a / inside, q = b / inside;
    if (p != q)
      return inGrid(level, p, q);
    a %= inside;
    b %= inside;
  }
  return true;
}

/// The consecutive ranks on the cycle that are not adjacent, including the last and the first one.
uint32_t gaps(const Geometry &geometry, ArrayRef<uint32_t> path) {
  uint32_t count = 0;
  for (size_t i = 0; i < path.size(); ++i)
    count += !adjacent(geometry, path[i], path[(i + 1) % path.size()]);
  return count;
}

bool isPermutation(std::vector<uint32_t> order) {
  std::sort(order.begin(), order.end());
  std::vector<uint32_t> all(order.size());
  std::iota(all.begin(), all.end(), 0);
  return order == all;
}

Geometry ahbm(GridLevel sips, uint32_t width, uint32_t height, uint32_t pes) {
  return {{std::move(sips),
           {"cube", GridKind::Mesh2DNoWrap, width, height},
           {"pe", GridKind::Flat, pes, 1}}};
}

std::string named(const Geometry &geometry) {
  std::string name;
  for (const GridLevel &level : geometry.levels)
    name += std::string(gridKindName(level.kind)) + " " + std::to_string(level.width) + "x" +
            std::to_string(level.height) + ", ";
  return name;
}

ExecPlan placed(const Recipe &recipe, RankPlacement how) {
  CompileRequest request = requestFor(recipe);
  request.placement = how;
  if (request.target) // placements are compared for plans of any number of connections
    request.target->overrides.push_back({"ipcq.multiplex", "on"});
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(bundled(recipe.program), request, diags);
  if (failed(outcome))
    FAIL(recipe.program << ": " << textOf(diags));
  return std::move(outcome->plan);
}

InstrProgram instructions(const Recipe &recipe) {
  CompileRequest request = requestFor(recipe);
  std::optional<InstrProgram> program;
  request.onInstrProgram = [&](const InstrProgram &instrs) { program.emplace(instrs); };
  DiagnosticEngine diags;
  (void)compile(bundled(recipe.program), request, diags);
  REQUIRE(program);
  return std::move(*program);
}
} // namespace

TEST_CASE("the snake is a cycle of adjacent endpoints", "[placement]") {
  for (GridLevel sips : {GridLevel{"sip", GridKind::Ring1D, 1, 1},
                         {"sip", GridKind::Ring1D, 2, 1},
                         {"sip", GridKind::Ring1D, 6, 1},
                         {"sip", GridKind::Torus2D, 2, 3},
                         {"sip", GridKind::Torus2D, 3, 3},
                         {"sip", GridKind::Torus2D, 3, 5},
                         {"sip", GridKind::Torus2D, 7, 5},
                         {"sip", GridKind::Mesh2DNoWrap, 2, 3},
                         {"sip", GridKind::Mesh2DNoWrap, 3, 2},
                         {"sip", GridKind::Mesh2DNoWrap, 2, 1}})
    for (auto [width, height] : {std::pair(4u, 4u), {2, 4}, {4, 2}, {3, 2}, {2, 3}, {5, 4}, {2, 1}})
      for (uint32_t pes : {1, 8}) {
        Geometry geometry = ahbm(sips, width, height, pes);
        std::vector<uint32_t> order = snakeOrder(geometry);
        INFO(named(geometry));
        CHECK(order.size() == geometry.ranks());
        CHECK(order.front() == 0);
        CHECK(isPermutation(order));
        CHECK(gaps(geometry, order) == 0);
      }
}

TEST_CASE("without a cycle the snake has one gap, at its beginning", "[placement]") {
  for (auto [width, height] : {std::pair(3u, 3u), {3, 5}, {4, 1}, {1, 4}}) {
    Geometry geometry = ahbm({"sip", GridKind::Ring1D, 1, 1}, width, height, 1);
    std::vector<uint32_t> order = snakeOrder(geometry);
    INFO(named(geometry));
    CHECK(isPermutation(order));
    CHECK(gaps(geometry, order) == 1);
    CHECK_FALSE(adjacent(geometry, order.back(), order.front()));
  }
}

TEST_CASE("the snake enters and leaves a SIP next to its IO chiplet", "[placement]") {
  Geometry geometry = ahbm({"sip", GridKind::Ring1D, 6, 1}, 4, 4, 8);
  std::vector<uint32_t> order = snakeOrder(geometry);
  for (size_t i = 0; i < order.size(); i += 128) {
    CHECK(order[i] / 8 % 16 == 0);       // cube 0
    CHECK(order[i + 127] / 8 % 16 == 1); // cube 1, also in the first row
  }
}

TEST_CASE("every policy assigns each endpoint at most once", "[placement]") {
  for (std::optional<uint32_t> ranks : {std::optional<uint32_t>(), {21u}})
    for (RankPlacement how : {RankPlacement::Linear, RankPlacement::Snake, RankPlacement::Auto}) {
      Recipe recipe{"allreduce_ring", {{"mapper", "cube_leaders"}}, ranks};
      recipe.target = "ahbm";
      ExecPlan plan = placed(recipe, how);
      std::vector<uint32_t> endpoints = plan.info().placementOnTarget;
      CHECK(endpoints.size() == ranks.value_or(32));
      std::sort(endpoints.begin(), endpoints.end());
      CHECK(std::adjacent_find(endpoints.begin(), endpoints.end()) == endpoints.end());
      for (uint32_t endpoint : endpoints) {
        CHECK(endpoint % 8 == 0);
        CHECK(endpoint < 256);
      }
      // Reordered ranks form no grid.
      bool inOrder = how == RankPlacement::Linear && !ranks;
      CHECK(plan.info().geometry.isFlat() == !inOrder);
      CHECK(binaryOf(plan) == binaryOf(placed(recipe, how)));
    }
}

TEST_CASE("auto prefers placements for which there are enough direction queues", "[placement]") {
  // A PE has 4 queues in its cube: with 8 ranks in one cube, an all-to-all needs 7.
  for (auto [program, ranks] : {std::pair("alltoall_direct", 8u), {"allreduce_allpairs", 7u}}) {
    Recipe recipe{program, {}, ranks};
    recipe.target = "ahbm";
    CompileRequest request = requestFor(recipe);
    Machine machine = test::machine("ahbm");
    Machine::Selection places = machine.select(Mapper::AllPes);
    InstrProgram instrs = instructions(recipe);
    PlacementCost cost(instrs, machine);
    for (RankPlacement how : {RankPlacement::Linear, RankPlacement::Auto}) {
      request.placement = how;
      DiagnosticEngine diags;
      bool fits = succeeded(compile(bundled(program), request, diags));
      CHECK(fits == (how == RankPlacement::Auto));
      PlacementCost::Value value =
          cost(placeRanks(how, instrs, machine, places.geometry, places.endpoints));
      CHECK((value.lackingQueues == 0) == fits);
      if (how == RankPlacement::Linear)
        CHECK(value.lackingQueues == uint64_t(ranks) * (ranks - 1 - 4));
    }
  }
}

TEST_CASE("the cost after an exchange is that of the whole placement", "[placement]") {
  for (auto [program, target, ranks] : {std::tuple("allreduce_tree", "mesh2d", 7u),
                                        {"alltoall_direct", "ahbm", 8u},
                                        {"allreduce_halving_doubling", "torus2d", 8u},
                                        {"broadcast_binomial", "dgx1", 8u}}) {
    INFO(program << " on " << target);
    Recipe recipe{program, {}, ranks};
    recipe.target = target;
    const InstrProgram instrs = instructions(recipe);
    const Machine machine = test::machine(target, {}, 12);
    // With free places, if the machine has them.
    std::vector<uint32_t> places(std::min(machine.numEndpoints(), 12u));
    std::iota(places.begin(), places.end(), 0);
    const ArrayRef<uint32_t> ofRanks = ArrayRef(places).take_front(ranks);
    const PlacementCost cost(instrs, machine);
    cost(ofRanks);
    Random random(ranks);
    for (int turn = 0; turn < 200; ++turn) {
      const uint32_t a = random.below(ranks), b = random.below(places.size());
      if (a >= b)
        continue;
      std::swap(places[a], places[b]);
      REQUIRE(cost.exchanged(ofRanks, a, b) == PlacementCost(instrs, machine)(ofRanks));
      if (random.chance(50))
        cost.accept();
      else
        std::swap(places[a], places[b]);
    }
  }
}

TEST_CASE("a known placement is that of a new search, and programs share it by traffic",
          "[placement]") {
  const Machine machine = test::machine("mesh2d", {}, 9);
  const Machine::Selection places = machine.select(Mapper::AllPes);
  PlacementMemo memo;
  auto place = [&](const InstrProgram &program, PlacementMemo *known) {
    return placeRanks(RankPlacement::Auto, program, machine, places.geometry, places.endpoints, {},
                      known);
  };
  std::set<std::string> traffic;
  for (const char *program : {"allreduce_tree", "allreduce_ring", "allreduce_recursive_doubling"}) {
    Recipe recipe{program, {}, 9};
    recipe.target = "mesh2d";
    const InstrProgram instrs = instructions(recipe);
    const std::vector<uint32_t> found = place(instrs, nullptr);
    CHECK(place(instrs, &memo) == found);
    CHECK(place(instrs, &memo) == found);
    const std::string own = PlacementCost(instrs, machine).traffic(places.endpoints);
    CHECK(memo.find(own) == found);
    CHECK(traffic.insert(own).second);
    CHECK(traffic.insert(PlacementCost(instrs, machine).traffic(found)).second);
  }
}

TEST_CASE("auto is never worse than linear", "[placement]") {
  for (const char *target : {"ahbm", "ahbm-6sip-torus"})
    for (const char *mapper : {"cube_leaders", "leader_only"})
      for (const char *program :
           {"allreduce_ring", "allreduce_recursive_doubling", "broadcast_binomial",
            "alltoall_direct", "allgather_ring", "reducescatter_ring"}) {
        Recipe recipe{program, {{"mapper", mapper}}};
        recipe.target = target;
        INFO(program << " on " << target << ", " << mapper);
        Machine machine = test::machine(target);
        Machine::Selection places = machine.select(*parseMapper(mapper));
        InstrProgram instrs = instructions(recipe);
        PlacementCost cost(instrs, machine);
        auto costOf = [&](RankPlacement how) {
          return cost(placeRanks(how, instrs, machine, places.geometry, places.endpoints));
        };
        PlacementCost::Value automatic = costOf(RankPlacement::Auto);
        CHECK(automatic <= costOf(RankPlacement::Linear));
        CHECK(automatic <= costOf(RankPlacement::Snake));
        // The simulator, which is independent of the estimate, agrees.
        ExecPlan linear = placed(recipe, RankPlacement::Linear);
        ExecPlan best = placed(recipe, RankPlacement::Auto);
        for (uint64_t bytes : {4096, 65536})
          CHECK(Simulation(best, machine, bytes).time() <=
                Simulation(linear, machine, bytes).time());
      }
}

TEST_CASE("the snake is best for a ring, the own order for a tree", "[placement]") {
  Machine machine = test::machine("ahbm");
  auto time = [&](const char *program, RankPlacement how, uint64_t bytes) {
    Recipe recipe{program};
    recipe.target = "ahbm";
    ExecPlan plan = placed(recipe, how);
    return Simulation(plan, machine, bytes).time();
  };
  for (uint64_t bytes : {4096, 1 << 20}) {
    int64_t linear = time("allreduce_ring", RankPlacement::Linear, bytes);
    int64_t snake = time("allreduce_ring", RankPlacement::Snake, bytes);
    CHECK(snake * 19 < linear * 10); // 1.9 times as fast
    CHECK(time("allreduce_ring", RankPlacement::Auto, bytes) <= snake);
  }
  int64_t linear = time("broadcast_binomial", RankPlacement::Linear, 1 << 20);
  CHECK(time("broadcast_binomial", RankPlacement::Auto, 1 << 20) * 5 < linear * 2);
  CHECK(time("allreduce_recursive_doubling", RankPlacement::Auto, 65536) <=
        time("allreduce_recursive_doubling", RankPlacement::Linear, 65536));
}

TEST_CASE("the estimate follows from routes and loads", "[placement]") {
  // Four ranks in a line, all-to-all: r1 -> r2 carries 4 of the 12 messages.
  Recipe recipe{"alltoall_direct", {}, 4};
  InstrProgram instrs = instructions(recipe);
  Machine line = test::machine("ring", {"shape=line", "queue.slot_size=0"}, 4);
  REQUIRE(line.numEndpoints() == 4);
  std::vector<uint32_t> inOrder = {0, 1, 2, 3};
  PlacementCost::Value value = PlacementCost(instrs, line)(inOrder);
  // One round; three hops of 1 us; 4 messages of 1 MiB at 100 GB/s.
  CHECK(value.time.picoseconds() == 3'000'000 + 4 * 10'485'760);
  CHECK(value.routes.picoseconds() == 1'000'000 * 2 * (3 * 1 + 2 * 2 + 1 * 3));
}

TEST_CASE("a program that reads the geometry is not moved", "[placement]") {
  Recipe recipe{"allreduce_lrab"};
  recipe.target = "ahbm";
  CompileRequest request = requestFor(recipe);
  request.placement = RankPlacement::Snake;
  DiagnosticEngine diags;
  CHECK(failed(compile(bundled(recipe.program), request, diags)));
  CHECK(diags.failure() == Failure::Unusable);
  CHECK(textOf(diags) == "tool: error: program 'allreduce_lrab' reads the geometry and requires "
                         "--placement=linear, not snake\n");
  request.placement = RankPlacement::Linear;
  DiagnosticEngine none;
  CHECK(succeeded(compile(bundled(recipe.program), request, none)));
}

TEST_CASE("a placement requires enough endpoints", "[placement]") {
  CompileRequest request;
  request.placement = RankPlacement::Auto;
  DiagnosticEngine diags;
  CHECK(failed(compile(bundled("allreduce_ring"), request, diags)));
  CHECK(diags.failure() == Failure::Unusable);
  CHECK(textOf(diags) ==
        "tool: error: --placement=auto requires --target to map ranks to its PEs\n");
}
