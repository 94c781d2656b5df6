//===- LinkLoadsTest.cpp - Data on the links of grids and nodes -----------===//
//
// The chunks that plans send between each pair of ranks. On a torus or mesh, messages connect
// neighbours only and no link carries more than the busiest cut requires; between nodes, all
// network adapters carry the same amount of data.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include <map>

using namespace cclc;
using namespace cclc::test;

namespace {
using Parameters = std::vector<std::pair<std::string, std::string>>;
/// Chunks by sender and receiver.
using Loads = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;

Loads loadsOf(const std::string &program, const Parameters &parameters,
              std::optional<TargetRequest> target = {}) {
  CompileRequest request;
  request.parameters = parameters;
  request.target = std::move(target);
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(bundled(program), request, diags);
  if (failed(outcome))
    FAIL(program << ": " << textOf(diags));
  const ExecPlan &plan = outcome->plan;
  Loads loads;
  for (const Threadblock &tb : plan.threadblocks())
    for (const Step &step : plan.steps(tb))
      if (traits(step.op).sends)
        loads[{tb.rank.index(), (*tb.sendPeer).index()}] += step.count;
  return loads;
}

struct Grid {
  uint32_t width, height;
  bool wraps;

  uint32_t ranks() const { return width * height; }
  TargetRequest target() const {
    return targetRequest(wraps ? "torus2d" : "mesh2d",
                         {"width=" + std::to_string(width), "height=" + std::to_string(height)});
  }
  uint32_t distance(uint32_t a, uint32_t b, uint32_t size) const {
    const uint32_t straight = a > b ? a - b : b - a;
    return wraps ? std::min(straight, size - straight) : straight;
  }
  bool areNeighbours(uint32_t a, uint32_t b) const {
    return distance(a % width, b % width, width) + distance(a / width, b / width, height) == 1;
  }
};

const std::vector<Grid> grids = {{4, 4, true},  {5, 3, true},  {8, 4, true}, {7, 1, true},
                                 {4, 4, false}, {5, 3, false}, {2, 6, false}};

std::string nameOf(const Grid &grid) {
  return (grid.wraps ? "torus " : "mesh ") + std::to_string(grid.width) + " x " +
         std::to_string(grid.height);
}
} // namespace

TEST_CASE("trees of a root have no link in common", "[library][link-loads]") {
  for (const Grid &grid : grids)
    for (uint32_t root : {0u, grid.ranks() / 2, grid.ranks() - 1}) {
      INFO(nameOf(grid) << ", root " << root);
      const Loads loads = loadsOf("broadcast_grid",
                                  {{"chunks", "1"}, {"root", std::to_string(root)}}, grid.target());
      const uint64_t trees = (grid.height > 1 ? 2 : 1) * (grid.wraps ? 2 : 1);
      uint64_t all = 0;
      for (const auto &[pair, chunks] : loads) {
        CHECK(grid.areNeighbours(pair.first, pair.second));
        CHECK(chunks == 1);
        all += chunks;
      }
      CHECK(all == trees * (grid.ranks() - 1));
    }
}

TEST_CASE("trees of all roots load the links of a grid evenly", "[library][link-loads]") {
  for (const Grid &grid : grids)
    for (const char *program : {"allgather_grid", "reducescatter_grid"}) {
      INFO(program << ", " << nameOf(grid));
      uint64_t most = 0, least = ~uint64_t(0);
      for (const auto &[pair, chunks] : loadsOf(program, {{"chunks", "1"}}, grid.target())) {
        CHECK(grid.areNeighbours(pair.first, pair.second));
        most = std::max(most, chunks);
        least = std::min(least, chunks);
      }
      // The links of a rank of the torus, or of a corner of the mesh, all receive as much.
      CHECK(most == grid.ranks() - 1);
      if (grid.wraps)
        CHECK(least == most);
    }
}

TEST_CASE("an all-reduce loads the links of a grid almost evenly", "[library][link-loads]") {
  for (const Grid &grid : grids) {
    INFO(nameOf(grid));
    uint64_t most = 0, all = 0;
    const Loads loads = loadsOf("allreduce_grid", {}, grid.target());
    for (const auto &[pair, chunks] : loads) {
      CHECK(grid.areNeighbours(pair.first, pair.second));
      most = std::max(most, chunks);
      all += chunks;
    }
    // Every chunk is sent to the R-1 other ranks, once as a sum and once before.
    const uint64_t trips = 2 * (grid.ranks() - 1);
    CHECK(all % (trips * grid.ranks()) == 0);
    CHECK(most * loads.size() * 100 <= all * 102);
    if (grid.width == grid.height)
      CHECK(most * loads.size() == all);
  }
}

TEST_CASE("rails carry the same amount of data", "[library][link-loads]") {
  for (uint64_t N : {1, 2, 3})
    for (uint64_t G : {1, 2, 5}) {
      const Parameters nodes = {
          {"nodes", std::to_string(N)}, {"ranks_per_node", std::to_string(G)}, {"chunks", "2"}};
      for (const char *program : {"allgather_rails", "reducescatter_rails", "allreduce_rails"}) {
        INFO(program << ", " << N << " nodes of " << G);
        const uint64_t each = program == std::string("allreduce_rails") ? 4 : 2;
        const Loads loads = loadsOf(program, nodes);
        CHECK(loads.size() == N * G * (N - 1 + G - 1));
        for (const auto &[pair, chunks] : loads)
          CHECK(chunks == (pair.first / G == pair.second / G ? N : 1) * each);
      }
    }
}

TEST_CASE("the root of broadcast_rails sends its buffer once", "[library][link-loads]") {
  for (uint64_t N : {1, 2, 3})
    for (uint64_t G : {2, 5})
      for (uint64_t root : {uint64_t(0), N * G - 1}) {
        INFO(N << " nodes of " << G << ", root " << root);
        const uint64_t C = 2 * (G - 1);
        std::map<uint64_t, uint64_t> inside;
        for (const auto &[pair, chunks] :
             loadsOf("broadcast_rails", {{"nodes", std::to_string(N)},
                                         {"ranks_per_node", std::to_string(G)},
                                         {"chunks", std::to_string(C)},
                                         {"root", std::to_string(root)}}))
          if (pair.first / G == pair.second / G)
            inside[pair.first] += chunks;
          else
            CHECK((pair.first % G == pair.second % G && chunks == C));
        CHECK(inside[root] == G * C);
        // Every chunk enters each of the other ranks of the root's node once.
        uint64_t home = 0;
        for (const auto &[rank, chunks] : inside)
          home += rank / G == root / G ? chunks : 0;
        CHECK(home == (G - 1) * G * C);
      }
}

TEST_CASE("a rank of a path sends no more chunks than it receives or had",
          "[library][link-loads]") {
  for (const uint64_t N : {2, 3})
    for (const std::string collective : {"allgather", "broadcast"}) {
      INFO(collective << ", " << N << " SIPs");
      const uint64_t C = 8, G = 16;
      std::map<uint64_t, uint64_t> sent, received;
      for (const auto &[pair, chunks] : loadsOf(
               collective + "_paths", {{"chunks", std::to_string(C)}, {"mapper", "cube_leaders"}},
               targetRequest("ahbm", {"sips.count=" + std::to_string(N)}))) {
        sent[pair.first] += chunks;
        received[pair.second] += chunks;
        // The first four cubes have the links of the SIP.
        if (pair.first / G != pair.second / G)
          CHECK((pair.first % G == pair.second % G && pair.first % G < 4));
      }
      // A rank has both neighbours on a path: it may send its own chunks twice.
      const bool isGather = collective == "allgather";
      for (uint64_t r = isGather ? 0 : G; r < N * G; ++r) {
        CHECK(received[r] == (isGather ? (N * G - 1) * C : C));
        CHECK(sent[r] <= received[r] + (isGather ? 2 * C : 0));
      }
    }
}

TEST_CASE("rotated rings use every network adapter", "[library][link-loads]") {
  for (uint64_t N : {2, 3})
    for (auto [G, rings] : {std::pair<uint64_t, uint64_t>(1, 1), {2, 1}, {2, 2}, {5, 5}, {6, 3}})
      for (const std::string collective : {"allgather", "reducescatter", "allreduce"}) {
        INFO(collective << ", " << N << " nodes of " << G << ", rings=" << rings);
        std::map<uint64_t, uint64_t> leaving;
        for (const auto &[pair, chunks] :
             loadsOf(collective + "_rotated_rings", {{"nodes", std::to_string(N)},
                                                     {"ranks_per_node", std::to_string(G)},
                                                     {"rings", std::to_string(rings)}}))
          if (pair.first / G != pair.second / G)
            leaving[pair.first] += chunks;
        REQUIRE(leaving.size() == N * G);
        const uint64_t each = (collective == "allreduce" ? 4 : 2) * rings / G;
        for (const auto &[rank, chunks] : leaving)
          CHECK(chunks == each * (N * G - 1));
      }
}
