//===- MachineDotTest.cpp - Boxes and edges of drawings -------------------===//

#include "cclc/Views/MachineView/MachineDot.h"

#include "Plans.h"

#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cmath>
#include <map>

using namespace cclc;
using namespace cclc::test;

namespace {
std::string drawing(const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeDot(machine, os);
  return text;
}

size_t boxes(StringRef text) { return text.count(" [label="); }
size_t edges(StringRef text) { return text.count(" -> "); }
} // namespace

TEST_CASE("a small machine has a box for each node and an edge for each pair of links", "[dot]") {
  Machine ring = machine("ring", {}, 6);
  CHECK(boxes(drawing(ring)) == 6);
  CHECK(edges(drawing(ring)) == 6);
  CHECK_FALSE(StringRef(drawing(ring)).contains("cluster"));
  // All positions are in the source.
  CHECK(StringRef(drawing(ring)).count("pos=\"") == 12);

  std::string nodes = drawing(machine("dgx-h100", {"nodes=3"}));
  CHECK(boxes(nodes) == 1 + 3 * 17);
  CHECK(edges(nodes) == 3 * 24);
  CHECK(StringRef(nodes).count("subgraph cluster") == 3);
}

TEST_CASE("missing links are red, dashed if there is no other, and one direction has one arrow",
          "[dot]") {
  std::string text = drawing(machine("ring", {"links.n0->n1=off", "links.n1<->n2=off"}, 4));
  CHECK(edges(text) == 4);
  CHECK(StringRef(text).contains("n0 -> n1 [dir=back, color=\"#d62728\", penwidth=2, "
                                 "tooltip=\"100 GB/s, 1 missing\""));
  CHECK(StringRef(text).contains("n1 -> n2 [dir=none, color=\"#d62728\", style=dashed, "
                                 "penwidth=2, tooltip=\"missing\""));
  CHECK(StringRef(text).contains("n2 -> n3 [dir=both, color=\"#1f77b4\", tooltip"));
  CHECK(StringRef(text).contains(">missing links</font>"));
  CHECK_FALSE(StringRef(drawing(machine("ring", {}, 4))).contains("missing"));
}

TEST_CASE("a node without links is marked", "[dot]") {
  std::string text = drawing(machine("ring", {"links.n1<->n2=off", "links.n2<->n3=off"}, 6));
  CHECK(StringRef(text).count("fillcolor=\"#cfe2f3\", penwidth=2, color=\"#d62728\"") == 1);
}

TEST_CASE("a link that is slower than its siblings is marked", "[dot]") {
  auto marked = [](const Machine &machine) {
    return StringRef(drawing(machine)).count("color=\"#ff7f0e\", penwidth=2");
  };
  CHECK(marked(machine("dgx-h100", {"links.node0.gpu3<->node0.nic3.bandwidth=1e9"}, 16)) == 1);
  CHECK(marked(machine("dgx-h100", {"links.node0.gpu3<->node0.nic3.bandwidth=1e12"}, 16)) == 0);
  CHECK(marked(machine("ring", {"links.n1<->n2.bandwidth=1e9"}, 8)) == 1);
  CHECK(marked(machine("dgx1", {}, 8)) == 0);
  // A closed cube with a slow link inside.
  CHECK(marked(machine("ahbm", {"links.sip0.cube3.r0c1<->sip0.cube3.r0c2.bandwidth=1e9"})) == 0);
  CHECK(
      StringRef(drawing(machine("ahbm", {"links.sip0.cube3.r0c1<->sip0.cube3.r0c2.bandwidth=1e9"})))
          .count("penwidth=2, color=\"#ff7f0e\"") == 1);
  // The borders of blocks are slower by design.
  TemporaryFile file(
      R"({"name": "b", "family": "graph", "shape": "mesh", "link": {"bandwidth": 1e11},
    "dimensions": [{"size": 8, "block": 4, "border": {"bandwidth": 1e10}}, {"size": 4}]})");
  CHECK(marked(machine(file.name())) == 0);
  CHECK(marked(machine(file.name(), {"links.n3<->n4.bandwidth=1e9"})) == 1);
  CHECK(marked(machine(file.name(), {"links.n1<->n2.bandwidth=1e10"})) == 1);
}

TEST_CASE("a large machine has a box for each group of the outermost level", "[dot]") {
  std::string text = drawing(machine("dgx-h100", {"nodes=64"}));
  CHECK(boxes(text) == 64 + 1);
  CHECK(edges(text) == 64);
  CHECK(StringRef(text).count("tooltip=\"8 links, 400 GB/s\"") == 64);

  CHECK(StringRef(text).count("subgraph cluster") == 8); // of 8 nodes

  // One level, or too many groups: blocks of consecutive endpoints.
  CHECK(boxes(drawing(machine("ring", {}, 1000))) == 32); // of 32 endpoints, the last of 8
  CHECK(edges(drawing(machine("ring", {}, 1024))) == 32);
  CHECK(boxes(drawing(machine("dgx-h100", {"nodes=256"}))) == 16 + 1);
}

TEST_CASE("edges lead from a higher tier to a lower one, and subtrees are frames", "[dot]") {
  TemporaryFile file(R"({"name": "tree", "family": "graph", "shape": "fat_tree", "ranks": 4,
    "tiers": [{"down": 2, "up": 1}, {"down": 2}]})");
  std::string text = drawing(machine(file.name()));
  // Nodes 0 to 3 are the endpoints, 4 and 5 their switches.
  for (const char *edge : {"n4 -> n0", "n4 -> n1", "n5 -> n3", "n6 -> n4", "n6 -> n5"}) {
    CAPTURE(edge);
    CHECK(StringRef(text).contains(edge));
  }
  CHECK(StringRef(text).count("subgraph cluster") == 2);
  CHECK(StringRef(text).contains("label=\"tier0.1\"; fontsize"));
}

TEST_CASE("the cubes of a SIP are a grid, a rail cluster is as wide as a page", "[dot]") {
  std::map<std::string, std::pair<double, double>> places;
  std::string text = drawing(machine("ahbm"));
  SmallVector<StringRef, 0> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef line : lines)
    if (auto [head, rest] = line.split("[label=\"cube"); !rest.empty()) {
      auto [x, y] = rest.split("pos=\"").second.split('"').first.split(',');
      std::pair<double, double> at;
      REQUIRE((!x.getAsDouble(at.first) && !y.getAsDouble(at.second)));
      places.try_emplace(rest.split('\\').first.str(), at);
    }
  REQUIRE(places.size() == 16);
  for (int cube = 0; cube < 16; ++cube) {
    CAPTURE(cube);
    auto at = [&](int i) { return places.at(std::to_string(i)); };
    CHECK(at(cube).first == at(cube % 4).first);
    CHECK(at(cube).second == at(cube / 4 * 4).second);
    if (cube % 4 > 0)
      CHECK(at(cube).first > at(cube - 1).first);
    if (cube >= 4)
      CHECK(at(cube).second < at(cube - 4).second);
  }
  std::string nodes = drawing(machine("dgx-h100", {"nodes=16"}));
  double width = 0, height = 0;
  auto [first, second] = StringRef(nodes).split("bb=\"0,0,").second.split('"').first.split(',');
  REQUIRE((!first.getAsDouble(width) && !second.getAsDouble(height)));
  CHECK(boxes(nodes) == 16 * 17 + 1);
  CHECK((width < 2250 && width > height && width < 3 * height));
}

TEST_CASE("the groups of a dragonfly are on a circle", "[dot]") {
  for (auto [groups, routers, endpoints] : {std::array{5, 4, 2}, {3, 2, 1}, {9, 8, 3}}) {
    CAPTURE(groups, routers, endpoints);
    auto number = [](int n) { return std::to_string(n); };
    TemporaryFile file(R"({"name": "d", "family": "graph", "shape": "dragonfly", "dragonfly":
      {"groups": )" + number(groups) +
                       ", \"routers\": " + number(routers) +
                       ", \"endpoints\": " + number(endpoints) + "}}");
    std::string text;
    llvm::raw_string_ostream os(text);
    writeDot(machine(file.name()), os, 1000);
    // Boxes do not overlap: names of routers are wider than those of endpoints.
    struct Place {
      double x, y;
      bool isRouter;
    };
    std::vector<Place> places;
    SmallVector<StringRef, 0> lines;
    StringRef(text).split(lines, '\n');
    for (StringRef line : lines) {
      if (!line.contains("[label="))
        continue;
      auto [x, y] = line.split("pos=\"").second.split('"').first.split(',');
      Place place{0, 0, line.contains("router")};
      if (!x.getAsDouble(place.x) && !y.getAsDouble(place.y))
        places.push_back(place);
    }
    REQUIRE(places.size() == size_t(groups * routers * (endpoints + 1)));
    for (size_t a = 0; a < places.size(); ++a)
      for (size_t b = a + 1; b < places.size(); ++b) {
        double distance = std::hypot(places[a].x - places[b].x, places[a].y - places[b].y);
        CHECK(distance >= (places[a].isRouter && places[b].isRouter ? 60 : 36));
      }
  }
}

TEST_CASE("the edges of large complete graphs lead over a hub", "[dot]") {
  auto edges = [](StringRef text, StringRef arrow) { return text.count(arrow); };
  // 8 leaves and 13 spines: 104 edges; with 12 spines there are 96.
  auto spines = [](int number) {
    TemporaryFile file(R"({"name": "t", "family": "graph", "shape": "fat_tree", "ranks": 16,
      "tiers": [{"down": 2, "up": )" +
                       std::to_string(number) + R"(, "bandwidth": 50e9}, {"down": 8}]})");
    return drawing(machine(file.name()));
  };
  std::string dense = spines(13);
  // The hub is the box after the 16 endpoints, 8 leaves and 13 spines.
  CHECK(edges(dense, " -> n37 ") == 13);
  CHECK(edges(dense, " n37 -> ") == 8);
  CHECK(edges(dense, " -> ") == 16 + 13 + 8);
  CHECK(StringRef(dense).contains("label=\"all pairs: 2 x 104 links\\na pair: "));
  CHECK(edges(spines(12), "pairs") == 0);
  CHECK(edges(spines(12), " -> ") == 16 + 96);

  // A complete graph is a ring; links of another rate are drawn.
  auto complete = [](uint32_t ranks, std::vector<std::string> changes) {
    return drawing(machine("fully-connected", std::move(changes), ranks));
  };
  std::string ring = complete(15, {});
  CHECK(edges(ring, " -> ") == 15);
  CHECK(StringRef(ring).contains("label=\"all pairs: 2 x 105 links\\na pair: 100 GB/s\""));
  CHECK(edges(complete(14, {}), "pairs") == 0);
  std::string changed = complete(15, {"links.n3<->n5.bandwidth=1e9"});
  CHECK(edges(changed, " -> ") == 16);
  CHECK(edges(changed, "  n3 -> n5 [dir=both") == 1);
  CHECK(StringRef(changed).contains("all other pairs: 2 x 104 links\\na pair: 100 GB/s"));
}

TEST_CASE("names are escaped", "[dot]") {
  TemporaryFile file(R"({"name": "a<b\"", "family": "graph", "nodes": [{"name": "x\"y\\"}]})");
  std::string text = drawing(machine(file.name()));
  CHECK(StringRef(text).contains(R"(digraph "a<b\"")"));
  CHECK(StringRef(text).contains("<a&lt;b&quot;: 1 endpoint"));
  CHECK(StringRef(text).contains(R"([label="x\"y\\")"));
}
