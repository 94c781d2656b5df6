//===- RoutingTest.cpp - Routes of all pairs ------------------------------===//
//
// Every route is a path from its source to its destination; lengths match the
// closed forms of the shapes, and shortest paths match another algorithm.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include <cstdlib>

using namespace cclc;
using namespace cclc::test;

namespace {

/// Calls fn(src, dst, route) for all pairs and checks that each is a path without repeated nodes.
template <class Fn> void forAllRoutes(const Machine &m, Fn fn) {
  SmallVector<LinkId, 64> route;
  for (uint32_t src = 0; src < m.numEndpoints(); ++src)
    for (uint32_t dst = 0; dst < m.numEndpoints(); ++dst) {
      if (src == dst)
        continue;
      route.clear();
      m.route(EndpointId(src), EndpointId(dst), route);
      NodeId at = m.endpointNode(EndpointId(src));
      std::vector<NodeId> seen = {at};
      bool contiguous = true;
      for (LinkId link : route) {
        contiguous &= m.link(link).from == at;
        at = m.link(link).to;
        contiguous &= std::find(seen.begin(), seen.end(), at) == seen.end();
        seen.push_back(at);
      }
      if (!contiguous || (!route.empty() && at != m.endpointNode(EndpointId(dst))))
        FAIL(m.name << ": the route from " << src << " to " << dst << " is no path");
      fn(src, dst, ArrayRef<LinkId>(route));
    }
}

uint32_t distance(uint32_t a, uint32_t b, uint32_t size, bool wraps) {
  uint32_t direct = a < b ? b - a : a - b;
  return wraps ? std::min(direct, size - direct) : direct;
}

int64_t costOf(const Machine &m, ArrayRef<LinkId> route) {
  int64_t cost = 0;
  for (LinkId id : route)
    cost += (m.link(id).propagation + m.nodes()[m.link(id).to.index()].overhead).picoseconds();
  return cost;
}
} // namespace

TEST_CASE("the number of hops in a grid is the difference of coordinates", "[routing]") {
  struct Shape {
    const char *target;
    std::vector<std::string> overrides;
    uint32_t w, h;
    bool wraps;
  };
  const Shape shapes[] = {
      {"ring", {"ranks=1"}, 1, 1, true},
      {"ring", {"ranks=2"}, 2, 1, true},
      {"ring", {"ranks=3"}, 3, 1, true},
      {"ring", {"ranks=8"}, 8, 1, true},
      {"ring", {"ranks=9"}, 9, 1, true},
      {"ring", {"shape=line", "ranks=6"}, 6, 1, false},
      {"torus2d", {"width=4", "height=3"}, 4, 3, true},
      {"torus2d", {"width=2", "height=2"}, 2, 2, true},
      {"torus2d", {"width=5", "height=1"}, 5, 1, true},
      {"torus2d", {"width=1", "height=6"}, 1, 6, true},
      {"torus2d", {"ranks=12"}, 4, 3, true},
      {"mesh2d", {"width=3", "height=5"}, 3, 5, false},
      {"mesh2d", {"ranks=12"}, 4, 3, false},
      {"mesh2d", {"ranks=7"}, 7, 1, false},
  };
  for (const Shape &shape : shapes) {
    Machine m = machine(shape.target, shape.overrides);
    INFO(m.name << ' ' << shape.w << " x " << shape.h);
    REQUIRE(m.numEndpoints() == shape.w * shape.h);
    REQUIRE(m.geometry().levels.size() == 1);
    CHECK(m.geometry().levels[0].width == shape.w);
    CHECK(m.geometry().levels[0].height == shape.h);
    // Links: one in each direction between neighbours; a dimension that wraps has as many as
    // members, but only one for two members.
    auto joins = [&](uint32_t size) {
      return size == 1 ? 0 : shape.wraps && size > 2 ? size : size - 1;
    };
    CHECK(m.links().size() == 2 * (joins(shape.w) * shape.h + joins(shape.h) * shape.w));
    bool right = true;
    forAllRoutes(m, [&](uint32_t src, uint32_t dst, ArrayRef<LinkId> route) {
      uint32_t want = distance(src % shape.w, dst % shape.w, shape.w, shape.wraps) +
                      distance(src / shape.w, dst / shape.w, shape.h, shape.wraps);
      right &= route.size() == want;
      // The row first, then the column.
      bool inColumn = false;
      for (LinkId id : route) {
        bool vertical = m.link(id).from.index() % shape.w == m.link(id).to.index() % shape.w &&
                        shape.h > 1 &&
                        m.link(id).from.index() / shape.w != m.link(id).to.index() / shape.w;
        right &= !(inColumn && !vertical);
        inColumn |= vertical;
      }
    });
    CHECK(right);
  }
}

TEST_CASE("a destination at equal distance is reached in ascending direction", "[routing]") {
  Machine m = machine("ring", {"ranks=4"});
  SmallVector<LinkId, 4> route;
  m.route(EndpointId(0), EndpointId(2), route);
  REQUIRE(route.size() == 2);
  CHECK(m.linkName(route[0]) == "n0 -> n1");
  CHECK(m.linkName(route[1]) == "n1 -> n2");
}

TEST_CASE("in a fully connected machine every route is a separate link", "[routing]") {
  Machine m = machine("fully-connected", {}, 7);
  std::vector<int> used(m.links().size());
  forAllRoutes(m, [&](uint32_t, uint32_t, ArrayRef<LinkId> route) {
    REQUIRE(route.size() == 1);
    ++used[route[0].index()];
  });
  CHECK(m.links().size() == 42);
  CHECK(std::count(used.begin(), used.end(), 1) == 42);
}

TEST_CASE("a switched machine has two links within a node and four between nodes", "[routing]") {
  Machine m = machine("ndv4", {"nodes=3", "gpus_per_node=4", "nic.gpus_per_nic=2"});
  REQUIRE(m.numEndpoints() == 12);
  bool right = true;
  forAllRoutes(m, [&](uint32_t src, uint32_t dst, ArrayRef<LinkId> route) {
    right &= route.size() == (src / 4 == dst / 4 ? 2u : 4u);
  });
  CHECK(right);
  SmallVector<LinkId, 4> route;
  m.route(EndpointId(1), EndpointId(2), route);
  CHECK(m.linkName(route[0]) == "node0.gpu1 -> node0.switch");
  CHECK(m.linkName(route[1]) == "node0.switch -> node0.gpu2");
  CHECK(costOf(m, route) == 2 * 10'000);
  route.clear();
  m.route(EndpointId(1), EndpointId(11), route);
  CHECK(m.linkName(route[0]) == "node0.gpu1 -> node0.nic0");
  CHECK(m.linkName(route[1]) == "node0.nic0 -> fabric");
  CHECK(m.linkName(route[2]) == "fabric -> node2.nic1");
  CHECK(m.linkName(route[3]) == "node2.nic1 -> node2.gpu3");
  // GPU to NIC and back 200 ns, NIC to fabric 650 ns, 300 ns in each NIC and in the fabric.
  CHECK(costOf(m, route) == 2 * 200'000 + 2 * 650'000 + 3 * 300'000);
}

TEST_CASE("the DGX-1 is a cube mesh of diameter two", "[routing]") {
  // NVLinks of each pair, as published.
  constexpr uint32_t nvlinks[8][8] = {{0, 2, 1, 1, 2, 0, 0, 0}, {2, 0, 1, 2, 0, 1, 0, 0},
                                      {1, 1, 0, 2, 0, 0, 2, 0}, {1, 2, 2, 0, 0, 0, 0, 1},
                                      {2, 0, 0, 0, 0, 2, 1, 1}, {0, 1, 0, 0, 2, 0, 1, 2},
                                      {0, 0, 2, 0, 1, 1, 0, 2}, {0, 0, 0, 1, 1, 2, 2, 0}};
  Machine m = machine("dgx1");
  CHECK(m.links().size() == 32);
  std::vector<uint64_t> rate(8);
  for (const Link &link : m.links()) {
    CHECK(link.bandwidth.bytesPerSecond() ==
          25'000'000'000 * nvlinks[link.from.index()][link.to.index()]);
    rate[link.from.index()] += link.bandwidth.bytesPerSecond();
  }
  CHECK(rate == std::vector<uint64_t>(8, 150'000'000'000)); // six NVLinks each
  forAllRoutes(m, [&](uint32_t src, uint32_t dst, ArrayRef<LinkId> route) {
    INFO(src << " to " << dst);
    if (nvlinks[src][dst]) {
      CHECK(route.size() == 1);
      return;
    }
    REQUIRE(route.size() == 2);
    // The last hop has two NVLinks if one of the two-hop routes ends that way.
    uint32_t best = 0;
    for (uint32_t via = 0; via < 8; ++via)
      if (nvlinks[src][via])
        best = std::max(best, nvlinks[via][dst]);
    CHECK(m.link(route[1]).bandwidth.bytesPerSecond() == 25'000'000'000 * best);
  });
}

TEST_CASE("the latency between DPUs is 2 us", "[routing]") {
  Machine m = machine("bluefield3", {}, 4);
  forAllRoutes(m, [&](uint32_t, uint32_t, ArrayRef<LinkId> route) {
    CHECK(route.size() == 4);
    CHECK(costOf(m, route) == 2'000'000);
  });
}

TEST_CASE("link lists are routed along shortest paths", "[routing]") {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    uint32_t n = random.between(2, 9);
    std::string nodes, links;
    std::vector<std::vector<int64_t>> far(n, std::vector<int64_t>(n, 1ll << 60));
    std::vector<int64_t> overhead;
    for (uint32_t i = 0; i < n; ++i) {
      overhead.push_back(random.below(3));
      far[i][i] = 0;
      nodes += (i ? "," : "") + ("{\"name\": \"v" + std::to_string(i)) +
               "\", \"overhead\": " + std::to_string(overhead[i]) + "e-9}";
    }
    // Every node has a link.
    for (uint32_t l = 0, count = n + random.below(3 * n); l < count; ++l) {
      uint32_t a = l < n ? l : random.below(n), b = l < n ? (l + 1) % n : random.below(n);
      int64_t time = random.between(1, 20);
      bool duplex = random.chance(50);
      if (a == b)
        continue;
      links += (links.empty() ? "" : ",") + ("{\"from\": \"v" + std::to_string(a)) +
               "\", \"to\": \"v" + std::to_string(b) +
               "\", \"propagation\": " + std::to_string(time) + "e-9, \"duplex\": \"" +
               (duplex ? "on" : "off") + "\"}";
      far[a][b] = std::min(far[a][b], time + overhead[b]);
      if (duplex)
        far[b][a] = std::min(far[b][a], time + overhead[a]);
    }
    for (uint32_t k = 0; k < n; ++k)
      for (uint32_t i = 0; i < n; ++i)
        for (uint32_t j = 0; j < n; ++j)
          far[i][j] = std::min(far[i][j], far[i][k] + far[k][j]);
    TemporaryFile file("{\"name\": \"g\", \"family\": \"graph\", \"nodes\": [" + nodes +
                       "], \"links\": [" + links + "]}");
    Machine m = machine(file.name());
    INFO("seed " << seed);
    forAllRoutes(m, [&](uint32_t src, uint32_t dst, ArrayRef<LinkId> route) {
      if (route.empty())
        REQUIRE(far[src][dst] >= 1ll << 60);
      else
        REQUIRE(costOf(m, route) == far[src][dst] * 1000);
    });
  }
}

namespace {
/// The costs of the shortest paths over the present links, by Floyd and Warshall.
std::vector<std::vector<int64_t>> bestCosts(const Machine &m) {
  size_t n = m.nodes().size();
  std::vector<std::vector<int64_t>> best(n, std::vector<int64_t>(n, 1ll << 60));
  for (const Link &link : m.links()) {
    int64_t &cost = best[link.from.index()][link.to.index()];
    if (link.present)
      cost = std::min(cost, (link.propagation + m.nodes()[link.to.index()].overhead).picoseconds());
  }
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        best[i][j] = std::min(best[i][j], best[i][k] + best[k][j]);
  return best;
}

size_t numMissing(const Machine &m) {
  size_t missing = 0;
  for (const Link &link : m.links())
    missing += !link.present;
  return missing;
}

std::vector<uint32_t> routeOf(const Machine &m, uint32_t src, uint32_t dst) {
  SmallVector<LinkId, 64> route;
  m.route(EndpointId(src), EndpointId(dst), route);
  std::vector<uint32_t> numbers;
  for (LinkId link : route)
    numbers.push_back(link.index());
  return numbers;
}
} // namespace

TEST_CASE("routes avoid missing links", "[routing]") {
  struct Case {
    const char *target;
    std::vector<std::string> overrides;
    size_t missing;
  };
  const Case cases[] = {
      {"ring", {"ranks=7", "links.n2->n3=off"}, 1},
      {"ring", {"ranks=7", "links.n2<->n3=off", "links.n6->n0=off"}, 3},
      {"mesh2d", {"width=4", "height=3", "links.n5<->*=off"}, 8},
      {"torus2d", {"width=4", "height=3", "links.n1->*=off", "links.n1->n5=on"}, 3},
      {"fully-connected", {"ranks=5", "links.n*->n0=off", "links.n4->n0=on"}, 3},
      {"ndv4", {"nodes=2", "links.node0.gpu3->node0.switch=off"}, 1},
      {"dgx-h100",
       {"nodes=2", "links.node1.nic*<->fabric=off", "links.node1.nic5<->fabric=on"},
       14},
      {"dgx1", {"links.gpu0<->gpu4=off"}, 2},
      {"ahbm",
       {"sips.count=1", "cubes.width=2", "cubes.height=1",
        "links.sip0.cube0.r0c0->sip0.cube0.r0c1=off"},
       1},
  };
  for (const Case &c : cases) {
    std::vector<std::string> whole = c.overrides;
    llvm::erase_if(whole, [](const std::string &o) { return StringRef(o).starts_with("links."); });
    Machine m = machine(c.target, c.overrides), intact = machine(c.target, whole);
    INFO(c.target << ' ' << c.overrides.back());
    REQUIRE(numMissing(m) == c.missing);
    CHECK(numMissing(intact) == 0);
    auto best = bestCosts(m);
    size_t detours = 0;
    forAllRoutes(m, [&](uint32_t src, uint32_t dst, ArrayRef<LinkId> route) {
      bool allPresent = true, broken = false;
      for (LinkId link : route)
        allPresent &= m.link(link).present;
      CHECK(allPresent);
      std::vector<uint32_t> before = routeOf(intact, src, dst);
      for (uint32_t link : before)
        broken |= !m.links()[link].present;
      int64_t cost =
          best[m.endpointNode(EndpointId(src)).index()][m.endpointNode(EndpointId(dst)).index()];
      if (!broken) // the machine is unchanged
        CHECK(routeOf(m, src, dst) == before);
      else if (route.empty())
        CHECK(cost >= 1ll << 60);
      else
        CHECK(costOf(m, route) == cost);
      detours += broken;
    });
    CHECK(detours > 0);
  }
}

TEST_CASE("a ring with a gap is a line", "[routing]") {
  Machine m = machine("ring", {"ranks=6", "links.n5<->n0=off"});
  Machine line = machine("ring", {"shape=line", "ranks=6"});
  forAllRoutes(m, [&](uint32_t src, uint32_t dst, ArrayRef<LinkId> route) {
    CHECK(route.size() == routeOf(line, src, dst).size());
  });
}

TEST_CASE("an alternative route is named if the rule could have selected it", "[routing]") {
  auto targets = std::vector<TargetRequest>{
      targetRequest("dgx1"), targetRequest("ahbm"), targetRequest("torus2d", {"ranks=16"}),
      targetRequest("torus2d", {"ranks=16", "links.n0<->n1=off", "links.n5->n6=off"})};
  TemporaryFile spines(R"({"name": "spines", "family": "graph",
    "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "s", "endpoint": "off"},
              {"name": "t", "endpoint": "off"}],
    "links": [{"from": "a", "to": "s", "propagation": 1e-6}, {"from": "s", "to": "b"},
              {"from": "a", "to": "t"}, {"from": "t", "to": "b", "propagation": 1e-6},
              {"from": "b", "to": "c"}, {"from": "a", "to": "b", "duplex": "off",
               "propagation": 2e-6}]})");
  targets.push_back(targetRequest(spines.name()));
  for (const TargetRequest &target : targets) {
    DiagnosticEngine diags;
    FailureOr<Machine> m = loadTarget(target, diags);
    REQUIRE_FALSE(failed(m));
    bool byDistance = m->name == "dgx1" || m->name == "spines";
    size_t equal = 0;
    forAllRoutes(*m, [&](uint32_t src, uint32_t dst, ArrayRef<LinkId> route) {
      // Shortest paths by Bellman and Ford: their cost and, over all nodes, their number.
      constexpr int64_t far = int64_t(1) << 60;
      std::vector<int64_t> cost(m->nodes().size(), far);
      auto costOfLink = [&](const Link &l) { return m->latency(l).picoseconds() + 1; };
      SmallVector<LinkId, 64> other;
      m->equalRoute(EndpointId(src), EndpointId(dst), other);
      if (other.empty() && !byDistance)
        return;
      cost[m->endpointNode(EndpointId(src)).index()] = 0;
      for (bool changed = true; changed;) {
        changed = false;
        for (const Link &l : m->links())
          if (l.present && cost[l.from.index()] + costOfLink(l) < cost[l.to.index()]) {
            cost[l.to.index()] = cost[l.from.index()] + costOfLink(l);
            changed = true;
          }
      }
      uint32_t waysIn = 0; // along the route: more than one at some node is another path
      for (LinkId id : route)
        for (const Link &l : m->links())
          waysIn += l.present && l.to == m->link(id).to &&
                    cost[l.from.index()] + costOfLink(l) == cost[l.to.index()];
      if (byDistance)
        CHECK((waysIn > route.size()) == !other.empty());
      if (other.empty())
        return;
      ++equal;
      CHECK(ArrayRef<LinkId>(other) != route);
      CHECK(other.size() == route.size());
      CHECK(costOf(*m, other) == costOf(*m, route));
      CHECK(m->link(other.front()).from == m->endpointNode(EndpointId(src)));
      CHECK(m->link(other.back()).to == m->endpointNode(EndpointId(dst)));
    });
    INFO(m->name);
    if (m->name == "dgx1")
      CHECK(equal > 0);
    if (m->name == "spines")
      CHECK(equal == 4); // a and c, a and b
    if (m->name == "ahbm")
      CHECK(equal == 0);
  }
}
