//===- AhbmTest.cpp - The AHBM machine against its published facts --------===//
//
// Counts of nodes, positions of PEs, routing rules and latencies as in
// targets/README.md, with paths computed by hand.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include <map>
#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {

/// The endpoint of (sip, cube row, cube column, PE) on a machine of 4 x 4 cubes.
uint32_t pe(uint32_t sip, uint32_t y, uint32_t x, uint32_t p) {
  return ((sip * 4 + y) * 4 + x) * 8 + p;
}

std::vector<std::string> nodesOn(const Machine &m, uint32_t src, uint32_t dst) {
  SmallVector<LinkId, 64> route;
  m.route(EndpointId(src), EndpointId(dst), route);
  std::vector<std::string> names = {m.nodes()[m.endpointNode(EndpointId(src)).index()].name};
  for (LinkId link : route)
    names.push_back(m.nodes()[m.link(link).to.index()].name);
  return names;
}

struct Cost {
  int64_t overhead = 0, propagation = 0;
  uint64_t bottleneck = ~uint64_t(0);
};
Cost costOf(const Machine &m, uint32_t src, uint32_t dst) {
  SmallVector<LinkId, 64> route;
  m.route(EndpointId(src), EndpointId(dst), route);
  Cost cost;
  for (LinkId id : route) {
    const Link &link = m.link(id);
    cost.propagation += link.propagation.picoseconds();
    cost.overhead += m.nodes()[link.to.index()].overhead.picoseconds();
    if (!link.bandwidth.isUnlimited())
      cost.bottleneck = std::min(cost.bottleneck, link.bandwidth.bytesPerSecond());
  }
  return cost;
}

/// The number of times that a route enters by a UCIe port and continues to another one.
uint32_t crossings(const std::vector<std::string> &nodes) {
  auto isPort = [](const std::string &name) {
    return StringRef(name).contains("ucie") && !StringRef(name).contains("conn");
  };
  uint32_t n = 0;
  for (size_t i = 1; i < nodes.size(); ++i)
    n += isPort(nodes[i - 1]) && isPort(nodes[i]);
  return n;
}

/// "sip0.cube5" for a node inside a cube, otherwise empty.
std::string cubeOf(StringRef node) {
  SmallVector<StringRef, 4> parts;
  node.split(parts, '.');
  return parts.size() > 2 && parts[1].starts_with("cube") ? (parts[0] + "." + parts[1]).str() : "";
}
} // namespace

TEST_CASE("AHBM has the published number of nodes", "[ahbm]") {
  Machine m = machine("ahbm");
  CHECK(m.numEndpoints() == 256);
  CHECK(m.nodes().size() == 4335);
  std::map<std::string, int> perCube;
  int io = 0;
  for (const Node &node : m.nodes()) {
    std::string cube = cubeOf(node.name);
    if (!cube.empty())
      ++perCube[cube];
    else if (StringRef(node.name).contains(".io0."))
      ++io;
  }
  CHECK(perCube.size() == 32);
  for (const auto &[cube, nodes] : perCube)
    CHECK(nodes == 134);
  CHECK(io == 2 * 23);
  std::set<std::string> names;
  for (const Node &node : m.nodes())
    names.insert(node.name);
  CHECK(names.size() == m.nodes().size());
}

TEST_CASE("AHBM has the published number of edges", "[ahbm]") {
  Machine m = machine("ahbm");
  CHECK(m.links().size() == 12412);
  // Every link has a reverse link, except for configured one-way mappings.
  std::multiset<std::pair<uint32_t, uint32_t>> ends;
  for (const Link &link : m.links())
    ends.insert({link.from.index(), link.to.index()});
  uint32_t oneWay = 0;
  std::map<std::string, uint32_t> inCube, perIo;
  uint32_t betweenCubes = 0, ofMemories = 0;
  for (const Link &link : m.links()) {
    uint32_t from = link.from.index(), to = link.to.index();
    StringRef source = m.nodes()[from].name, target = m.nodes()[to].name;
    CHECK(ends.count({from, to}) == 1);
    if (!link.reverse) {
      ++oneWay;
      CHECK(source.ends_with(".pe_cpu"));
      CHECK(target.ends_with(".pe_mmu"));
    } else {
      CHECK(m.link(*link.reverse).from == link.to);
      CHECK(m.link(*link.reverse).to == link.from);
    }
    std::string a = cubeOf(source), b = cubeOf(target);
    if (!a.empty() && a == b)
      ++inCube[a];
    else if (!a.empty() && !b.empty())
      ++betweenCubes;
    else // the links to the switch, to the first row of cubes and those inside
      ++perIo[(source.starts_with("sip") ? source : target).take_front(4).str()];
    ofMemories += source.contains("hbm_ctrl") + target.contains("hbm_ctrl");
  }
  CHECK(oneWay == 256);
  CHECK(betweenCubes == 2 * 48);
  CHECK(ofMemories == 2 * 256); // two per PE router
  CHECK(inCube.size() == 32);
  for (const auto &[cube, edges] : inCube)
    CHECK(edges == 380);
  CHECK(perIo.size() == 2);
  for (const auto &[io, edges] : perIo)
    CHECK(edges == 78);
}

TEST_CASE("a PE accesses its own memory through one router, and others over the mesh", "[ahbm]") {
  Machine m = machine("ahbm");
  auto names = [&](uint32_t src, uint32_t owner) {
    SmallVector<LinkId, 64> route;
    m.routeToMemory(EndpointId(src), EndpointId(owner), route);
    std::vector<std::string> result;
    for (LinkId link : route)
      result.push_back(m.nodes()[m.link(link).to.index()].name);
    return result;
  };
  CHECK(names(pe(0, 0, 0, 3), pe(0, 0, 0, 3)) ==
        std::vector<std::string>{"sip0.cube0.r1c5", "sip0.cube0.hbm_ctrl.pe3"});
  CHECK(names(pe(0, 0, 0, 0), pe(0, 0, 0, 1)) ==
        std::vector<std::string>{"sip0.cube0.r0c0", "sip0.cube0.r0c1", "sip0.cube0.hbm_ctrl.pe1"});
  std::vector<std::string> far = names(pe(0, 0, 0, 0), pe(1, 3, 3, 7));
  CHECK(far.back() == "sip1.cube15.hbm_ctrl.pe7");
  CHECK(far[far.size() - 2] == "sip1.cube15.r5c5");
}

TEST_CASE("PEs are connected to their routers", "[ahbm]") {
  Machine m = machine("ahbm");
  const char *routers[] = {"r0c0", "r0c1", "r1c4", "r1c5", "r4c0", "r4c1", "r5c4", "r5c5"};
  for (uint32_t p = 0; p < 8; ++p) {
    std::vector<std::string> nodes = nodesOn(m, pe(1, 2, 3, p), pe(1, 2, 3, (p + 1) % 8));
    CHECK(nodes[0] == "sip1.cube11.pe" + std::to_string(p) + ".pe_dma");
    CHECK(nodes[1] == std::string("sip1.cube11.") + routers[p]);
  }
  int holes = 0;
  for (const Node &node : m.nodes())
    for (const char *hole : {".r2c2", ".r2c3", ".r3c2", ".r3c3"})
      holes += StringRef(node.name).ends_with(hole);
  CHECK(holes == 0);
}

TEST_CASE("inside a cube a message is routed along its row and then a column", "[ahbm]") {
  Machine m = machine("ahbm");
  CHECK(nodesOn(m, pe(0, 0, 0, 0), pe(0, 0, 0, 3)) ==
        std::vector<std::string>{"sip0.cube0.pe0.pe_dma", "sip0.cube0.r0c0", "sip0.cube0.r0c1",
                                 "sip0.cube0.r0c2", "sip0.cube0.r0c3", "sip0.cube0.r0c4",
                                 "sip0.cube0.r0c5", "sip0.cube0.r1c5", "sip0.cube0.pe3.pe_dma"});
  // All pairs: the number of hops is the difference of rows and columns; 2.13 ns per hop and 10 ps
  // per millimetre, 3 mm per hop.
  const int place[8][2] = {{0, 0}, {0, 1}, {1, 4}, {1, 5}, {4, 0}, {4, 1}, {5, 4}, {5, 5}};
  for (uint32_t a = 0; a < 8; ++a)
    for (uint32_t b = 0; b < 8; ++b) {
      if (a == b)
        continue;
      int hops = std::abs(place[a][0] - place[b][0]) + std::abs(place[a][1] - place[b][1]);
      Cost cost = costOf(m, pe(0, 1, 1, a), pe(0, 1, 1, b));
      CHECK(cost.propagation == hops * 2160);
      CHECK(cost.overhead == 0);
      CHECK(cost.bottleneck == 256'000'000'000);
      CHECK(nodesOn(m, pe(0, 1, 1, a), pe(0, 1, 1, b)).size() == size_t(hops) + 3);
    }
}

TEST_CASE("from cube to cube a message crosses UCIe once per boundary", "[ahbm]") {
  Machine m = machine("ahbm");
  for (uint32_t a = 0; a < 16; ++a)
    for (uint32_t b = 0; b < 16; ++b) {
      if (a == b)
        continue;
      uint32_t dx = std::abs(int(a % 4) - int(b % 4)), dy = std::abs(int(a / 4) - int(b / 4));
      uint32_t src = pe(0, a / 4, a % 4, 2), dst = pe(0, b / 4, b % 4, 5);
      std::vector<std::string> nodes = nodesOn(m, src, dst);
      CHECK(crossings(nodes) == dx + dy);
      // 8 ns in each of the two ports of a crossing; one flow uses one connection of 128 GB/s.
      Cost cost = costOf(m, src, dst);
      CHECK(cost.overhead == 16'000 * (dx + dy));
      CHECK(cost.bottleneck == 128'000'000'000);
      // Along the row of cubes first.
      std::vector<std::string> cubes;
      for (const std::string &node : nodes)
        if (cubes.empty() || cubes.back() != cubeOf(node))
          cubes.push_back(cubeOf(node));
      std::vector<std::string> want;
      uint32_t x = a % 4, y = a / 4;
      auto visit = [&] { want.push_back("sip0.cube" + std::to_string(y * 4 + x)); };
      visit();
      while (x != b % 4)
        x += x < b % 4 ? 1 : -1, visit();
      while (y != b / 4)
        y += y < b / 4 ? 1 : -1, visit();
      CHECK(cubes == want);
    }
}

TEST_CASE("a path to the next cube, computed by hand", "[ahbm]") {
  Machine m = machine("ahbm");
  // PE 0 of cube 0 to PE 0 of cube 1: along row 0 to the east side, whose connection 0 is at r0c5,
  // and in by connection 0 of the west side, which is at r0c0.
  CHECK(nodesOn(m, pe(0, 0, 0, 0), pe(0, 0, 1, 0)) ==
        std::vector<std::string>{"sip0.cube0.pe0.pe_dma", "sip0.cube0.r0c0", "sip0.cube0.r0c1",
                                 "sip0.cube0.r0c2", "sip0.cube0.r0c3", "sip0.cube0.r0c4",
                                 "sip0.cube0.r0c5", "sip0.cube0.ucie_e.conn0", "sip0.cube0.ucie_e",
                                 "sip0.cube1.ucie_w", "sip0.cube1.ucie_w.conn0", "sip0.cube1.r0c0",
                                 "sip0.cube1.pe0.pe_dma"});
  Cost cost = costOf(m, pe(0, 0, 0, 0), pe(0, 0, 1, 0));
  CHECK(cost.propagation == 5 * 2160 + 10); // five hops, and 1 mm between the cubes
  CHECK(cost.overhead == 16'000);
}

TEST_CASE("a message uses the connection of its destination PE", "[ahbm]") {
  Machine m = machine("ahbm");
  const auto hasNode = [](const std::vector<std::string> &nodes, const std::string &name) {
    return std::find(nodes.begin(), nodes.end(), name) != nodes.end();
  };
  for (uint32_t p = 0; p < 8; ++p) {
    // From PE 6 of cube 5 to the cubes around it. Connections 0 and 1 are at the same corner.
    std::string connection = p == 0 ? ".conn0" : ".conn1";
    CHECK(hasNode(nodesOn(m, pe(0, 1, 1, 6), pe(0, 1, 2, p)), "sip0.cube5.ucie_e" + connection));
    std::vector<std::string> south = nodesOn(m, pe(0, 1, 1, 6), pe(0, 2, 1, p));
    CHECK(hasNode(south, "sip0.cube9.ucie_n" + connection));
    CHECK(hasNode(south, "sip0.cube9.r0c0"));
  }
  TemporaryFile file(R"({"base": "ahbm", "name": "x", "ucie": {"connection_of_pe":
    [0, 1, 2, 3, 0, 1, 2, 3]}})");
  Machine spread = machine(file.name());
  std::vector<std::string> west = nodesOn(spread, pe(0, 1, 1, 0), pe(0, 1, 0, 2));
  CHECK(hasNode(west, "sip0.cube5.ucie_w.conn2"));
  CHECK(hasNode(west, "sip0.cube4.r5c5"));
}

TEST_CASE("SIPs are connected by one switch", "[ahbm]") {
  for (const char *name : {"ahbm", "ahbm-6sip-ring", "ahbm-6sip-torus", "ahbm-6sip-mesh"}) {
    Machine m = machine(name);
    uint32_t last = m.numEndpoints() / 128 - 1;
    for (uint32_t y1 : {0u, 3u})
      for (uint32_t x1 : {0u, 2u})
        for (uint32_t y2 : {0u, 1u})
          for (uint32_t x2 : {1u, 3u}) {
            uint32_t src = pe(0, y1, x1, 0), dst = pe(last, y2, x2, 7);
            std::vector<std::string> nodes = nodesOn(m, src, dst);
            // Up the own column, through the switch, and down the column of the other cube.
            CHECK(crossings(nodes) == y1 + 1 + 1 + y2);
            CHECK(std::count(nodes.begin(), nodes.end(), "fabric.switch0") == 1);
            Cost cost = costOf(m, src, dst);
            CHECK(cost.overhead == 16'000 * (y1 + y2 + 2) + 5'000 + 5'000 + 5'000);
            CHECK(cost.bottleneck == 128'000'000'000);
            for (const std::string &node : nodes)
              CHECK_FALSE(StringRef(node).contains("cpu")); // the route contains no processor
          }
  }
}

TEST_CASE("the levels of AHBM follow its hierarchy", "[ahbm]") {
  struct Case {
    const char *name;
    GridKind kind;
    uint32_t w, h;
  };
  for (Case c :
       {Case{"ahbm", GridKind::Ring1D, 2, 1}, Case{"ahbm-6sip-ring", GridKind::Ring1D, 6, 1},
        Case{"ahbm-6sip-torus", GridKind::Torus2D, 2, 3},
        Case{"ahbm-6sip-mesh", GridKind::Mesh2DNoWrap, 2, 3}}) {
    Machine m = machine(c.name);
    CHECK(m.geometry().levels == std::vector<GridLevel>{{"sip", c.kind, c.w, c.h},
                                                        {"cube", GridKind::Mesh2DNoWrap, 4, 4},
                                                        {"pe", GridKind::Flat, 8, 1}});
    Machine::Selection sips = m.select(Mapper::LeaderOnly);
    CHECK(sips.endpoints.size() == c.w * c.h);
    Machine::Selection cubes = m.select(Mapper::CubeLeaders);
    CHECK(cubes.endpoints.size() == 16 * c.w * c.h);
    for (uint32_t i = 0; i < cubes.endpoints.size(); ++i)
      CHECK(cubes.endpoints[i] == 8 * i);
    for (uint32_t i = 0; i < sips.endpoints.size(); ++i)
      CHECK(sips.endpoints[i] == 128 * i);
    CHECK(m.select(Mapper::AllPes).endpoints.size() == m.numEndpoints());
    CHECK(cubes.geometry.ranks() == cubes.endpoints.size());
  }
}

TEST_CASE("machines of other sizes have complete routes as well", "[ahbm]") {
  for (auto overrides :
       {std::vector<std::string>{"cubes.width=2", "cubes.height=2"},
        std::vector<std::string>{"cubes.width=1", "cubes.height=3", "cubes.pes=5", "sips.count=3"},
        std::vector<std::string>{"cubes.width=5", "cubes.height=1", "io.phys=2", "cubes.pes=3"},
        std::vector<std::string>{"cubes.width=3", "cubes.height=2", "io.phys=1"},
        std::vector<std::string>{"cubes.width=2", "cubes.height=2", "io.phys=7", "sips.count=1"}}) {
    Machine m = machine("ahbm", overrides);
    SmallVector<LinkId, 64> route;
    bool right = true;
    for (uint32_t src = 0; src < m.numEndpoints(); ++src)
      for (uint32_t dst = 0; dst < m.numEndpoints(); ++dst) {
        if (src == dst)
          continue;
        route.clear();
        m.route(EndpointId(src), EndpointId(dst), route);
        NodeId at = m.endpointNode(EndpointId(src));
        for (LinkId link : route) {
          right &= m.link(link).from == at;
          at = m.link(link).to;
        }
        right &= at == m.endpointNode(EndpointId(dst));
      }
    CHECK(right);
  }
}
