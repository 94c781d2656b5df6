//===- ShapesTest.cpp - Tori, fat trees, dragonflies ----------------------===//
//
// The numbers of nodes, links and hops of each shape match those of its definition.
//
//===----------------------------------------------------------------------===//

#include "../../support/Lines.h"

#include "Plans.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using namespace cclc::test;
using llvm::formatv;

namespace {
/// A target of family `graph` with the given keys.
Machine graph(const std::string &keys, std::optional<uint32_t> ranks = {}) {
  TemporaryFile file(R"({"name": "m", "family": "graph", )" + keys + "}");
  return machine(file.name(), {}, ranks);
}

/// The errors of such a target, with FILE for its name.
std::string errorOf(const std::string &keys, const std::string &family = "graph") {
  TemporaryFile file(R"({"name": "m", "family": ")" + family + "\", " + keys + "}");
  DiagnosticEngine diags;
  CHECK(failed(loadTarget(targetRequest(file.name()), diags)));
  std::string text = textOf(diags);
  for (size_t at; (at = text.find(file.name())) != std::string::npos;)
    text.replace(at, file.name().size(), "FILE");
  return text;
}

std::vector<std::string> routeOf(const Machine &m, uint32_t src, uint32_t dst) {
  SmallVector<LinkId, 64> links;
  m.route(EndpointId(src), EndpointId(dst), links);
  std::vector<std::string> names;
  for (LinkId link : links)
    names.push_back(m.linkName(link));
  return names;
}

/// The number of pairs of endpoints by the number of links between them.
std::map<size_t, size_t> hops(const Machine &m) {
  std::map<size_t, size_t> pairs;
  SmallVector<LinkId, 64> links;
  for (uint32_t src = 0; src < m.numEndpoints(); ++src)
    for (uint32_t dst = 0; dst < m.numEndpoints(); ++dst) {
      if (src == dst)
        continue;
      links.clear();
      m.route(EndpointId(src), EndpointId(dst), links);
      NodeId at = m.endpointNode(EndpointId(src));
      for (LinkId link : links) {
        REQUIRE(m.link(link).from == at);
        at = m.link(link).to;
      }
      REQUIRE(at == m.endpointNode(EndpointId(dst)));
      ++pairs[links.size()];
    }
  return pairs;
}

size_t numSwitches(const Machine &m) { return m.nodes().size() - m.numEndpoints(); }
} // namespace

TEST_CASE("a torus has the size and the rate of each dimension", "[shapes]") {
  Machine m = graph(R"("shape": "torus", "link": {"propagation": 1e-7}, "dimensions": [
    {"size": 4, "bandwidth": 4e9}, {"size": 3, "bandwidth": 3e9}, {"size": 2, "bandwidth": 2e9}])");
  CHECK(m.numEndpoints() == 24);
  // 24 per ring dimension, 12 in the one of size 2, in both directions.
  CHECK(m.links().size() == 2 * (24 + 24 + 12));
  std::map<uint64_t, size_t> rates;
  for (const Link &link : m.links())
    ++rates[link.bandwidth.bytesPerSecond()];
  CHECK(rates ==
        std::map<uint64_t, size_t>{{4'000'000'000, 48}, {3'000'000'000, 48}, {2'000'000'000, 24}});
  // From (0, 0, 0) to (3, 2, 1): over the wraps of the first two dimensions.
  CHECK(routeOf(m, 0, 23) == std::vector<std::string>{"n0 -> n3", "n3 -> n11", "n11 -> n23"});
  CHECK(m.geometry().levels.size() == 3);
  // The distances in a ring of 4 are 0, 1, 2, 1, in one of 3 0, 1, 1, and in one of 2 0, 1.
  std::map<size_t, size_t> expected;
  for (int x : {0, 1, 2, 1})
    for (int y : {0, 1, 1})
      for (int z : {0, 1})
        expected[x + y + z] += 24;
  expected.erase(0);
  CHECK(hops(m) == expected);
}

TEST_CASE("a torus of two dimensions is the shape torus_2d", "[shapes]") {
  for (auto [general, special] : {std::pair("torus", "torus_2d"), std::pair("mesh", "mesh_2d")}) {
    Machine a =
        graph(formatv(R"("shape": "{0}", "dimensions": [{{"size": 5}, {{"size": 3}])", general));
    Machine b = graph(formatv(R"("shape": "{0}", "width": 5, "height": 3)", special));
    CHECK(a.geometry() == b.geometry());
    CHECK(a.links().size() == b.links().size());
    for (uint32_t src = 0; src < 15; ++src)
      for (uint32_t dst = 0; dst < 15; ++dst)
        if (src != dst)
          CHECK(routeOf(a, src, dst) == routeOf(b, src, dst));
  }
}

TEST_CASE("a hypercube connects numbers that differ in one bit", "[shapes]") {
  Machine m = graph(R"("shape": "hypercube")", 16);
  CHECK(m.numEndpoints() == 16);
  CHECK(m.links().size() == 16 * 4);
  std::map<size_t, size_t> expected;
  for (uint32_t a = 0; a < 16; ++a)
    for (uint32_t b = 0; b < 16; ++b)
      if (a != b)
        ++expected[llvm::popcount(a ^ b)];
  CHECK(hops(m) == expected);
  CHECK(errorOf(R"("shape": "hypercube", "ranks": 12)") ==
        "FILE:1:56: error: 'ranks' is 12, but a hypercube has a power of two\n");
}

TEST_CASE("dimensions can be rings, switches and complete graphs", "[shapes]") {
  Machine m = graph(R"("shape": "composed", "dimensions": [
    {"kind": "fully_connected", "size": 4, "name": "board"},
    {"kind": "switch", "size": 3, "switch_overhead": 1e-7},
    {"kind": "ring", "size": 5}])");
  CHECK(m.numEndpoints() == 60);
  CHECK(numSwitches(m) == 20); // one for each line of the second dimension
  CHECK(m.links().size() == 60 * 3 + 2 * 60 + 2 * 60);
  CHECK(routeOf(m, 0, 1 + 4 * 2 + 12 * 4) ==
        std::vector<std::string>{"n0 -> n1", "n1 -> dim1.switch1", "dim1.switch1 -> n9",
                                 "n9 -> n57"});
  CHECK(m.geometry().levels[0].name == "dim2");
  CHECK(m.geometry().levels[2].name == "board");
  CHECK(errorOf(R"("shape": "composed", "dimensions": [{"size": 2}])") ==
        "FILE:1:70: error: 'dimensions[0].kind' is missing\n");
  CHECK(errorOf(R"("shape": "torus")") ==
        "FILE: error: 'dimensions' is missing: it lists the size of every dimension\n");
}

TEST_CASE("channels take the parallel links of dimensions in turn", "[shapes]") {
  Machine m = graph(R"("shape": "composed", "dimensions": [
    {"kind": "ring", "size": 3, "links": 2}, {"kind": "switch", "size": 2, "links": 3},
    {"kind": "fully_connected", "size": 2, "links": 1}])");
  CHECK(m.links().size() == 2 * (12 * 2 + 12 * 3 + 6));
  for (uint32_t channel = 0; channel < 6; ++channel) {
    SmallVector<LinkId, 8> links;
    m.routes().routeOnChannel(m, EndpointId(1), EndpointId(0 + 3 + 6), ChannelId(channel), links);
    std::vector<std::string> names;
    for (LinkId link : links)
      names.push_back(m.linkName(link));
    std::string ofTwo = formatv("#{0}", channel % 2 + 1),
                ofThree = formatv("#{0}", channel % 3 + 1);
    CHECK(names == std::vector<std::string>{"n1 -> n0" + ofTwo, "n0 -> dim1.switch0" + ofThree,
                                            "dim1.switch0 -> n3" + ofThree, "n3 -> n9"});
  }
  std::vector<EndpointId> sources{EndpointId(1)};
  llvm::BitVector used(m.links().size());
  m.routes().addUsedLinks(m, sources, EndpointId(9), used);
  CHECK(used.count() == 2 + 3 + 3 + 1);
}

TEST_CASE("links between blocks have other values", "[shapes]") {
  Machine m = graph(R"("shape": "composed", "link": {"bandwidth": 8e9}, "dimensions": [
    {"kind": "ring", "size": 4, "block": 2, "border": {"bandwidth": 1e9}},
    {"kind": "line", "size": 5, "block": 3, "border": {"propagation": 1e-6}}])");
  for (const Link &link : m.links()) {
    uint32_t a = std::min(link.from.index(), link.to.index()),
             b = std::max(link.from.index(), link.to.index());
    bool inRow = a / 4 == b / 4;
    // In a row, the pairs 1-2 and 0-3 are borders.
    bool overBorder = inRow ? b % 4 - a % 4 == (a % 4 == 1 ? 1 : 3) : a / 4 == 2;
    CHECK(link.bandwidth.bytesPerSecond() == (inRow && overBorder ? 1'000'000'000 : 8'000'000'000));
    CHECK(link.propagation == (!inRow && overBorder ? SimTime::nanoseconds(1000) : SimTime()));
  }
}

TEST_CASE("absent places have neither rank nor links", "[shapes]") {
  // A grid of 3 x 3 without its centre is a ring of eight.
  Machine m = graph(R"("shape": "mesh", "dimensions": [{"size": 3}, {"size": 3}], "absent": [4])");
  CHECK(m.numEndpoints() == 8);
  CHECK(m.links().size() == 2 * 8);
  CHECK(hops(m) == std::map<size_t, size_t>{{1, 16}, {2, 16}, {3, 16}, {4, 8}});
  CHECK(m.nodes()[m.endpointNode(EndpointId(4)).index()].name == "n5");
  CHECK(m.routingRule() == RoutingRule::Shortest);
  CHECK(graph(R"("shape": "mesh", "dimensions": [{"size": 3, "links": 2}], "absent": [0])")
            .routingRule() == RoutingRule::Ecmp);
}

TEST_CASE("grids with gaps are checked", "[shapes-errors]") {
  auto mesh = [](const std::string &dimension, const std::string &rest = "") {
    return errorOf(R"("shape": "mesh", "dimensions": [{"size": 4)" + dimension + "}]" + rest);
  };
  CHECK(mesh(R"(, "block": 2)") ==
        "FILE:1:78: error: 'dimensions[0].block' requires 'border', the links between blocks\n");
  CHECK(mesh(R"(, "border": {})") ==
        "FILE:1:78: error: 'dimensions[0].border' requires 'block', the size of the blocks\n");
  CHECK(mesh("", R"(, "absent": [1, 1])") == "FILE:1:80: error: 'absent' has 1 twice\n");
  CHECK(mesh("", R"(, "absent": [0, 1, 2, 3])") ==
        "FILE:1:80: error: 'absent' has all places: a machine has at least one rank\n");
  CHECK(mesh("", R"(, "absent": [1], "ranks": 4)") ==
        "FILE:1:95: error: 'ranks' is 4, but the product of all dimensions is 4, of which 1 are "
        "absent\n");
  CHECK(mesh("", R"(, "absent": [4])") ==
        "FILE:1:80: error: 'absent' takes an array of whole numbers from 0 to 3\n");
}

TEST_CASE("a star has one switch", "[shapes]") {
  Machine m = graph(R"("shape": "star", "link": {"bandwidth": 1e9}, "switch_overhead": 1e-7)", 5);
  CHECK(m.nodes().size() == 5 + 1);
  CHECK(m.links().size() == 2 * 5);
  CHECK(hops(m) == std::map<size_t, size_t>{{2, 5 * 4}});
  CHECK(m.latency(m.link(LinkId(0))) == SimTime::nanoseconds(100));
  CHECK(m.geometry() == Geometry{{{"rank", GridKind::Flat, 5, 1}}});
  CHECK(graph(R"("shape": "star")").numEndpoints() == 8);
}

TEST_CASE("a fat tree has the switches and links of its tiers", "[shapes]") {
  // k-ary n-tree of switches with 4 ports: 16 endpoints, 3 tiers of 8, 8 and 4 switches.
  Machine m = graph(R"("shape": "fat_tree", "link": {"bandwidth": 1e9}, "tiers": [
    {"down": 2}, {"down": 2}, {"down": 4}])",
                    16);
  CHECK(numSwitches(m) == 8 + 8 + 4);
  CHECK(m.links().size() == 2 * (16 + 16 + 16));
  CHECK(hops(m) == std::map<size_t, size_t>{{2, 16 * 1}, {4, 16 * 2}, {6, 16 * 12}});
  CHECK(m.routingRule() == RoutingRule::UpDown);
  CHECK(m.geometry().levels.size() == 3);
  // Half as many uplinks of twice the rate are as many bytes per second; 2:1 is half of that.
  for (auto [ratio, spines] : {std::pair(1, 2u), std::pair(2, 1u)}) {
    Machine thin = graph(formatv(R"("shape": "fat_tree", "link": {{"bandwidth": 1e9}, "tiers": [
      {{"down": 4, "oversubscription": {0}}, {{"down": 2, "bandwidth": 2e9}])",
                                 ratio),
                         8);
    CHECK(numSwitches(thin) == 2 + spines);
    CHECK(thin.links().size() == 2 * (8 + 2 * spines));
  }
  // Of 36 ports, 24 lead down and 12 up; in the highest tier, all lead down.
  Machine radix = graph(R"("shape": "fat_tree", "tiers": [
    {"radix": 36, "oversubscription": 2}, {"radix": 36}])",
                        72);
  CHECK(numSwitches(radix) == 3 + 12);
  // Only switches with ranks below them exist.
  CHECK(numSwitches(graph(R"("shape": "fat_tree", "tiers": [{"down": 4, "up": 2}, {"down": 4}])",
                          5)) == 2 + 2);
  CHECK(errorOf(R"("shape": "fat_tree", "ranks": 9, "tiers": [{"down": 4}, {"down": 2}])") ==
        "FILE:1:67: error: 'tiers' has 8 places, but there are 9 to connect\n");
  CHECK(
      errorOf(
          R"("shape": "fat_tree", "tiers": [{"down": 3, "oversubscription": 2}, {"down": 4}])") ==
      "FILE:1:77: error: 'tiers[0].oversubscription' results in 1.50 parents of a switch, which is "
      "not a whole number; state 'up' instead\n");
}

TEST_CASE("a fat tree has no default number of ranks", "[shapes]") {
  CHECK(
      errorOf(R"("shape": "fat_tree", "tiers": [{"down": 4}, {"down": 2}])") ==
      "FILE: error: 'ranks' is missing: the tiers have 8 places; state their number in the target "
      "or with --ranks\n");
  for (const char *fabric :
       {R"("fat_tree", "tiers": [{"down": 4}, {"down": 4}])",
        R"("dragonfly", "dragonfly": {"groups": 2, "routers": 2, "endpoints": 4})"}) {
    std::string keys = R"("gpus_per_node": 4, "nic": {"propagation": 1e-6}, "fabric": {"shape": )" +
                       std::string(fabric) + "}";
    std::string shape = StringRef(fabric).split(',').first.trim('"').str();
    CHECK(errorOf(keys, "switched") == "FILE: error: 'nodes' is missing: a fabric of shape " +
                                           shape +
                                           " has no default; state their number in the target or "
                                           "that of the ranks with --ranks\n");
    TemporaryFile file(R"({"name": "m", "family": "switched", )" + keys + "}");
    CHECK(machine(file.name(), {}, 8).numEndpoints() == 8);
    CHECK(machine(file.name(), {"nodes=3"}).numEndpoints() == 12);
  }
}

TEST_CASE("a dragonfly connects all groups", "[shapes]") {
  // The balanced one with h = 2: a = 4 routers, p = 2 endpoints, g = a h + 1 = 9 groups.
  Machine m = graph(R"("shape": "dragonfly", "dragonfly":
    {"groups": 9, "routers": 4, "endpoints": 2, "global_links": 2}, "link": {"propagation": 1e-7})");
  CHECK(m.numEndpoints() == 72);
  CHECK(numSwitches(m) == 36);
  CHECK(m.links().size() == 2 * (72 + 9 * 6 + 36));
  std::map<std::pair<uint32_t, uint32_t>, size_t> global; // by groups
  std::map<uint32_t, size_t> ports;                       // by router
  for (const Link &link : m.links()) {
    uint32_t a = link.from.index(), b = link.to.index();
    if (a < 72 || b < 72)
      continue;
    a = (a - 72), b = (b - 72);
    if (a / 4 == b / 4)
      continue;
    ++global[{a / 4, b / 4}];
    ++ports[a];
  }
  CHECK(global.size() == 9 * 8); // one link for every pair of groups, in both directions
  for (auto [pair, links] : global)
    CHECK(links == 1);
  for (auto [router, links] : ports)
    CHECK(links == 2);
  CHECK(hops(m).rbegin()->first == 5); // to the router, in the group, global, in the group, down
  // With fewer groups, several links connect each pair.
  CHECK(graph(R"("shape": "dragonfly", "dragonfly":
    {"groups": 3, "routers": 4, "endpoints": 1, "global_links": 2})")
            .links()
            .size() == 2 * (12 + 3 * 6 + 12));
  CHECK(errorOf(
            R"("shape": "dragonfly", "dragonfly": {"groups": 4, "routers": 2, "endpoints": 1})") ==
        "FILE:1:70: error: 'dragonfly.groups' is 4, but the 2 global links of a group connect at "
        "most 3\n");
}

TEST_CASE("NICs are connected by rails or tiers", "[shapes]") {
  std::string nodes = R"("gpus_per_node": 4, "nodes": 4, "node_link": {"propagation": 1e-8},
    "nic": {"propagation": 1e-6}, )";
  auto switched = [&](const std::string &fabric) {
    TemporaryFile file(R"({"name": "m", "family": "switched", )" + nodes + fabric + "}");
    return machine(file.name());
  };
  // GPUs with the same number are two hops of the network apart, others need a hop in a node.
  Machine rails = switched(R"("fabric": {"shape": "rails"})");
  CHECK(rails.nodes().size() == 4 * (1 + 4 + 4) + 4);
  CHECK(routeOf(rails, 1, 13) ==
        std::vector<std::string>{"node0.gpu1 -> node0.nic1", "node0.nic1 -> rail1",
                                 "rail1 -> node3.nic1", "node3.nic1 -> node3.gpu1"});
  CHECK(routeOf(rails, 1, 14).size() == 6);
  // In a fat tree of rails, the NICs of a rail share a leaf switch.
  for (bool byRail : {false, true}) {
    Machine tree = switched(formatv(R"("fabric": {{"shape": "fat_tree", "rails": "{0}", "tiers":
      [{{"down": 4}, {{"down": 4}]})",
                                    byRail ? "on" : "off"));
    CHECK(tree.nodes().size() == 4 * (1 + 4 + 4) + 4 + 4);
    CHECK(routeOf(tree, 1, 13).size() == (byRail ? 4 : 6));
    CHECK(routeOf(tree, 1, 14).size() == 6);
    CHECK(routeOf(tree, 1, 2).size() == 2);
  }
  // The destinations of each leaf are spread over the spines: with one message for each pair, all
  // links between leaves and spines carry equally many.
  for (const char *rail : {"off", "on"}) {
    Machine tree = switched(formatv(R"("fabric": {{"shape": "fat_tree", "rails": "{0}", "tiers":
      [{{"down": 4}, {{"down": 4}]})",
                                    rail));
    std::map<uint32_t, size_t> uses; // by link between switches
    for (uint32_t src = 0; src < 16; ++src)
      for (uint32_t dst = 0; dst < 16; ++dst) {
        SmallVector<LinkId, 64> links;
        if (src / 4 != dst / 4)
          tree.route(EndpointId(src), EndpointId(dst), links);
        for (LinkId link : links)
          if (tree.nodes()[tree.link(link).from.index()].tier >= 2 &&
              tree.nodes()[tree.link(link).to.index()].tier >= 2)
            ++uses[link.index()];
      }
    CHECK(uses.size() == 2 * 16);
    for (auto [link, times] : uses)
      CHECK(times == uses.begin()->second);
  }
  Machine dragonfly = switched(R"("fabric": {"shape": "dragonfly", "dragonfly":
    {"groups": 2, "routers": 2, "endpoints": 4}})");
  CHECK(dragonfly.nodes().size() == 4 * (1 + 4 + 4) + 4);
  CHECK(errorOf(nodes + R"("fabric": {"shape": "rails", "tiers": []})", "switched") ==
        "FILE:2:64: error: 'fabric.tiers' is not a known key\n");
}

TEST_CASE("a node without NICs has only its switch", "[shapes]") {
  std::string keys = R"("gpus_per_node": 4, "node_link": {"bandwidth": 1e9, "propagation": 1e-7})";
  TemporaryFile file(R"({"name": "m", "family": "switched", )" + keys + "}");
  Machine m = machine(file.name());
  CHECK(m.nodes().size() == 1 + 4);
  CHECK(m.links().size() == 2 * 4);
  CHECK(hops(m) == std::map<size_t, size_t>{{2, 12}});
  // No other path leads to a GPU whose link is off.
  Machine cut = machine(file.name(), {"links.node0.gpu2->*=off"});
  CHECK(routeOf(cut, 2, 0).empty());
  CHECK(routeOf(cut, 0, 2).size() == 2);
  // A resolved target has no NICs, either; null removes those of a base.
  TemporaryFile resolved(resolvedTarget(targetRequest(file.name())));
  CHECK(machine(resolved.name()).nodes().size() == 1 + 4);
  CHECK(machine(file.name(), {}, 16).numEndpoints() == 4);
  TemporaryFile based(R"({"base": "ndv4", "name": "m", "nic": null})");
  CHECK(machine(based.name()).nodes().size() == 1 + 8);
  CHECK(machine(file.name(), {"nic.bandwidth=1e9", "nodes=2"}).nodes().size() ==
        1 + 2 * (1 + 4 + 4));

  CHECK(errorOf(keys + R"(, "nodes": 2)", "switched") ==
        "FILE: error: 'nic' is missing: 2 nodes are connected by NICs; describe these, or set "
        "'nodes' to 1\n");
  CHECK(errorOf(keys + R"(, "fabric": {"shape": "rails"})", "switched") ==
        "FILE: error: 'nic' is missing: a fabric of shape rails connects NICs; describe these, or "
        "remove 'fabric'\n");
}

TEST_CASE("a list can have levels", "[shapes]") {
  std::string list = R"("nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}],
    "links": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}, {"from": "c", "to": "d"}], )";
  Machine m = graph(list + R"("levels": [{"name": "node", "width": 2},
    {"name": "gpu", "kind": "ring_1d", "width": 2}])");
  CHECK(m.geometry() ==
        Geometry{{{"node", GridKind::Flat, 2, 1}, {"gpu", GridKind::Ring1D, 2, 1}}});
  CHECK(errorOf(list + R"("levels": [{"name": "node", "width": 3}])") ==
        "FILE:2:94: error: 'levels' has 3 members, but there are 4 endpoints\n");
}
