//===- FlowGraphTest.cpp - The links that routes use ----------------------===//

#include "cclc/Bound/FlowGraph.h"

#include "../../support/Lines.h"
#include "../../support/Text.h"

#include "Plans.h"

#include <map>
#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {
std::vector<EndpointId> endpointsOf(const Machine &m, Mapper who = Mapper::AllPes) {
  std::vector<EndpointId> endpoints;
  for (uint32_t endpoint : m.select(who).endpoints)
    endpoints.push_back(EndpointId(endpoint));
  return endpoints;
}

std::set<uint32_t> linksOf(const FlowGraph &graph) {
  std::set<uint32_t> links;
  for (const FlowArc &arc : graph.arcs())
    for (LinkId link : arc.links)
      links.insert(link.index());
  return links;
}

/// The capacity into \p rank.
uint64_t into(const FlowGraph &graph, uint32_t rank) {
  uint64_t sum = 0;
  for (const FlowArc &arc : graph.arcs())
    if (arc.to == rank)
      sum += arc.capacity.bytesPerSecond();
  return sum;
}
} // namespace

TEST_CASE("a flow graph has exactly the links of the routes", "[bound][graph]") {
  for (const char *name :
       {"ring", "mesh2d", "torus2d", "fully-connected", "dgx1", "ndv4", "ahbm"}) {
    INFO(name);
    Machine m = machine(name, {}, 16);
    std::vector<EndpointId> endpoints = endpointsOf(m, Mapper::CubeLeaders);
    FlowGraph graph = FlowGraph::create(m, endpoints);
    CHECK(graph.isRouted());
    CHECK_FALSE(graph.unreachable());
    CHECK(graph.numRanks() == endpoints.size());
    std::set<uint32_t> expected;
    for (EndpointId src : endpoints)
      for (EndpointId dst : endpoints) {
        Path path;
        if (src != dst)
          m.route(src, dst, path);
        for (LinkId link : path)
          expected.insert(link.index());
      }
    CHECK(linksOf(graph) == expected);
    for (uint32_t rank = 0; rank < endpoints.size(); ++rank)
      CHECK(graph.machineNode(rank) == m.endpointNode(endpoints[rank]));
  }
}

TEST_CASE("the capacity into a rank is that of its used links", "[bound][graph]") {
  Machine twoNodes = machine("ndv4", {}, 16), pes = machine("ahbm");
  CHECK(into(FlowGraph::create(twoNodes, endpointsOf(twoNodes)), 3) == 325'000'000'000);
  FlowGraph cubes = FlowGraph::create(pes, endpointsOf(pes, Mapper::CubeLeaders));
  CHECK(cubes.numRanks() == 32);
  CHECK(into(cubes, 31) == 256'000'000'000);
  // In one node no route uses the NICs.
  std::vector<EndpointId> oneNode;
  for (uint32_t e = 8; e < 16; ++e)
    oneNode.push_back(EndpointId(e));
  CHECK(into(FlowGraph::create(twoNodes, oneNode), 3) == 300'000'000'000);
}

TEST_CASE("rules with several routes use all shortest paths", "[bound][graph]") {
  TemporaryFile file(R"({"name": "spines", "family": "graph", "shape": "fat_tree", "ranks": 4,
    "link": {"bandwidth": 1e9, "propagation": 1e-7}, "tiers": [{"down": 2, "up": 2}, {"down": 2}]})");
  auto links = [&](const char *rule, uint32_t ranks) {
    Machine m = machine(file.name(), {std::string("routing=") + rule});
    std::vector<EndpointId> endpoints = endpointsOf(m);
    endpoints.resize(ranks, EndpointId(0));
    return linksOf(FlowGraph::create(m, endpoints)).size();
  };
  for (const char *rule : {"ecmp", "spray", "adaptive"}) {
    CHECK(links(rule, 4) == 16);
    CHECK(links(rule, 2) == 4); // below one leaf
  }
  CHECK(links("shortest", 4) == 12); // one of the two spines
}

TEST_CASE("parallel links are one arc", "[bound][graph]") {
  TemporaryFile file(R"({"name": "pair", "family": "graph", "nodes": [{"name": "a"}, {"name": "b"}],
    "routing": "ecmp", "links": [
      {"from": "a", "to": "b", "bandwidth": 1e9, "propagation": 1e-7},
      {"from": "a", "to": "b", "bandwidth": 1e9, "propagation": 1e-7}]})");
  Machine m = machine(file.name());
  FlowGraph graph = FlowGraph::create(m, endpointsOf(m));
  REQUIRE(graph.arcs().size() == 2);
  CHECK(graph.arcs()[0].capacity == Bandwidth(2'000'000'000));
  CHECK(graph.arcs()[0].links.size() == 2);
  using Arc = FlowArc;
  FlowGraph unlimited = FlowGraph::of(2, 2, {Arc{0, 1, Bandwidth(5), {}}, Arc{0, 1, {}, {}}});
  REQUIRE(unlimited.arcs().size() == 1);
  CHECK(unlimited.arcs()[0].capacity.isUnlimited());
  CHECK(unlimited.unreachable() == std::pair(RankId(1), RankId(0)));
}

TEST_CASE("with too many routes a flow graph has all present links", "[bound][graph]") {
  Machine m = machine("ahbm");
  FlowGraph graph = FlowGraph::create(m, endpointsOf(m, Mapper::CubeLeaders), /*budget=*/100);
  CHECK_FALSE(graph.isRouted());
  CHECK(linksOf(graph).size() == m.links().size());
}

TEST_CASE("ranks without a path are found", "[bound][graph]") {
  Machine m = machine("mesh2d", {"links.n3->*=off"}, 4);
  FlowGraph graph = FlowGraph::create(m, endpointsOf(m));
  CHECK(graph.unreachable() == std::pair(RankId(3), RankId(0)));
}
