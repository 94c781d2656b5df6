//===- MachineLayoutTest.cpp - Drawings of machines -----------------------===//

#include "cclc/Views/MachineView/MachineLayout.h"
#include "Plans.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <map>
#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr const char *targets[] = {"ahbm", "ahbm-6sip-torus", "dgx1",    "mi300x",
                                   "ring", "mesh2d",          "torus2d", "fully-connected"};

using Point = MachineLayout::Point;

/// The lines of a drawing: one between each two boxes, independent of the parts that it connects,
/// and one for each further link between the same nodes.
std::vector<std::vector<Point>> linesOf(const Machine &target, const MachineLayout &layout) {
  std::map<std::pair<NodeId, NodeId>, unsigned> copies;
  std::map<std::tuple<double, double, double, double, unsigned>, std::vector<Point>> lines;
  for (size_t l = 0; l < target.links().size(); ++l) {
    const Link &link = target.links()[l];
    std::vector<Point> line = {layout.nodes[link.from.index()]};
    line.insert(line.end(), layout.bends[l].begin(), layout.bends[l].end());
    line.push_back(layout.nodes[link.to.index()]);
    if (line[0].x == line.back().x && line[0].y == line.back().y)
      continue;
    unsigned copy = copies[{link.from, link.to}]++;
    if (std::pair(line[0].x, line[0].y) > std::pair(line.back().x, line.back().y))
      std::reverse(line.begin(), line.end());
    auto same = [](Point a, Point b) { return a.x == b.x && a.y == b.y; };
    auto [known, isNew] =
        lines.insert({{line[0].x, line[0].y, line.back().x, line.back().y, copy}, line});
    // Both directions have the same line.
    REQUIRE(std::equal(line.begin(), line.end(), known->second.begin(), known->second.end(), same));
  }
  std::vector<std::vector<Point>> all;
  for (auto &[ends, line] : lines)
    all.push_back(std::move(line));
  return all;
}

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// The points of a line at a distance of \p step.
template <class Fn> void walk(const std::vector<Point> &line, double step, Fn visit) {
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    auto pieces = std::ceil(distance(line[i], line[i + 1]) / step);
    for (double p = 0; p <= pieces; ++p)
      visit(Point{line[i].x + (line[i + 1].x - line[i].x) * p / pieces,
                  line[i].y + (line[i + 1].y - line[i].y) * p / pieces},
            i);
  }
}

/// Returns "" if no line crosses a node other than its ends and no two lines overlap for a stretch.
/// Checked by points on the lines.
std::string faultOf(const Machine &target, const MachineLayout &layout) {
  std::vector<std::vector<Point>> lines = linesOf(target, layout);
  using Cell = std::pair<int64_t, int64_t>;
  auto cellOf = [](Point at) { return Cell{int64_t(std::floor(at.x)), int64_t(std::floor(at.y))}; };
  std::map<Cell, std::map<size_t, double>> nodes; // with half of a side
  for (size_t n = 0; n < layout.nodes.size(); ++n)
    nodes[cellOf(layout.nodes[n])].insert({n, 0});
  for (uint32_t e = 0; e < target.numEndpoints(); ++e) {
    size_t n = target.endpointNode(EndpointId(e)).index();
    nodes[cellOf(layout.nodes[n])][n] = layout.endpointSide / 2;
  }
  std::string fault;
  auto around = [](Cell cell, const auto &map, auto visit) {
    for (int64_t x : {-1, 0, 1})
      for (int64_t y : {-1, 0, 1})
        if (auto found = map.find({cell.first + x, cell.second + y}); found != map.end())
          visit(found->second);
  };
  // Both directions are drawn beside the line.
  double room = MachineLayout::directionOffset;
  for (const std::vector<Point> &line : lines)
    walk(line, 0.05, [&](Point at, size_t) {
      around(cellOf(at), nodes, [&](const auto &near) {
        for (auto [n, half] : near) {
          Point node = layout.nodes[n];
          double away = std::max(std::abs(at.x - node.x), std::abs(at.y - node.y));
          if (away < half + room && distance(node, line.front()) > 1e-9 &&
              distance(node, line.back()) > 1e-9)
            fault = "a line leads over " + target.nodes()[n].name;
        }
      });
    });
  // The points of each line that lie on another line as well, if both have one direction there.
  struct Part {
    Point at, along;
    size_t line;
  };
  std::map<Cell, std::vector<Part>> parts;
  std::map<std::pair<size_t, size_t>, unsigned> together;
  for (size_t l = 0; l < lines.size(); ++l) {
    std::vector<Part> own;
    std::set<size_t> seen;
    walk(lines[l], 0.05, [&](Point at, size_t i) {
      double length = distance(lines[l][i], lines[l][i + 1]);
      Point along = {(lines[l][i + 1].x - lines[l][i].x) / length,
                     (lines[l][i + 1].y - lines[l][i].y) / length};
      seen.clear();
      around(cellOf(at), parts, [&](const std::vector<Part> &near) {
        for (const Part &part : near)
          if (distance(part.at, at) < room &&
              std::abs(part.along.x * along.y - part.along.y * along.x) < 1e-4)
            seen.insert(part.line);
      });
      for (size_t other : seen)
        if (++together[{other, l}] > 6)
          fault = "two lines are in one place";
      own.push_back({at, along, l});
    });
    for (const Part &part : own)
      parts[cellOf(part.at)].push_back(part);
  }
  return fault;
}

std::string faultOf(const Machine &target) { return faultOf(target, layOut(target)); }
} // namespace

TEST_CASE("every endpoint of a machine has its own position in the drawing") {
  for (const char *name : targets) {
    CAPTURE(name);
    Machine target = machine(name, {}, 16);
    MachineLayout layout = layOut(target);
    REQUIRE(layout.nodes.size() == target.nodes().size());
    std::set<std::pair<double, double>> places;
    for (uint32_t e = 0; e < target.numEndpoints(); ++e) {
      auto [x, y] = layout.nodes[target.endpointNode(EndpointId(e)).index()];
      CHECK((x > 0 && x < layout.width && y > 0 && y < layout.height));
      CHECK(places.insert({x, y}).second);
    }
    for (MachineLayout::Point at : layout.nodes)
      REQUIRE((at.x >= 0 && at.x <= layout.width && at.y >= 0 && at.y <= layout.height));
  }
}

TEST_CASE("the PEs of AHBM are drawn in their cubes, and these in their SIPs") {
  Machine target = machine("ahbm");
  MachineLayout layout = layOut(target);
  REQUIRE(layout.boxes.size() == 2 + 2 * 16);
  auto contains = [](const MachineLayout::Box &box, double x, double y) {
    return x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
  };
  for (uint32_t e = 0; e < target.numEndpoints(); ++e) {
    uint32_t sip = e / 128, cube = e / 8 % 16;
    const MachineLayout::Box &outer = layout.boxes[sip], &inner = layout.boxes[2 + sip * 16 + cube];
    CHECK(inner.name == outer.name + ".cube" + std::to_string(cube));
    auto [x, y] = layout.nodes[target.endpointNode(EndpointId(e)).index()];
    CHECK(contains(inner, x, y));
    CHECK(contains(outer, inner.x, inner.y));
    CHECK(contains(outer, inner.x + inner.width, inner.y + inner.height));
  }
  // Of two neighbouring cubes in a row the one with the larger number is on the right.
  CHECK(layout.boxes[3].x > layout.boxes[2].x + layout.boxes[2].width);
  CHECK(layout.boxes[3].y == layout.boxes[2].y);
  CHECK(layout.boxes[6].y > layout.boxes[2].y + layout.boxes[2].height);
}

TEST_CASE("no link is drawn across another node or along another link") {
  struct Case {
    const char *target;
    std::optional<uint32_t> ranks;
    std::vector<std::string> overrides;
  };
  for (const Case &one : {Case{"ring", 8, {}},
                          {"ring", 50, {}},
                          {"torus2d", 4, {"width=4", "height=1"}},
                          {"torus2d", 5, {}},
                          {"torus2d", 12, {}},
                          {"torus2d", 64, {}},
                          {"mesh2d", 7, {}},
                          {"mesh2d", 24, {}},
                          {"fully-connected", 4, {}},
                          {"fully-connected", 8, {}},
                          {"fully-connected", 14, {}},
                          {"ahbm", {}, {}},
                          {"ahbm-6sip-ring", {}, {}},
                          {"ahbm-6sip-torus", {}, {}},
                          {"ahbm-6sip-mesh", {}, {"sips.count=3", "sips.width=1", "sips.height=3"}},
                          {"dgx1", 8, {}},
                          {"mi300x", 8, {}}}) {
    CAPTURE(one.target, one.ranks, one.overrides);
    CHECK(faultOf(machine(one.target, one.overrides, one.ranks)) == "");
  }
}

TEST_CASE("the nodes of a large complete graph are close together, and its lines straight") {
  for (auto [ranks, distance] : {std::pair{14u, 4.0}, {15u, 1.4}, {100u, 1.4}}) {
    CAPTURE(ranks);
    Machine target = machine("fully-connected", {}, ranks);
    MachineLayout layout = layOut(target);
    auto at = [&](uint32_t e) { return layout.nodes[target.endpointNode(EndpointId(e)).index()]; };
    CHECK(std::hypot(at(1).x - at(0).x, at(1).y - at(0).y) == Approx(distance).epsilon(0.1));
    CHECK(llvm::all_of(layout.bends, [](const auto &bends) { return bends.empty(); }));
  }
}

TEST_CASE("links of a list target are drawn separately") {
  auto target = [&](const std::string &nodes, const std::vector<std::string> &links) {
    std::string text = R"({"name": "list", "family": "graph", "shape": "list", "nodes": [)";
    for (size_t n = 0; n < nodes.size(); ++n)
      text += std::string(n ? ", " : "") + R"({"name": ")" + nodes[n] +
              (islower(nodes[n]) ? "\"}" : "\", \"endpoint\": \"off\"}");
    text += R"(], "links": [)";
    for (size_t l = 0; l < links.size(); ++l)
      text += std::string(l ? ", " : "") + R"({"from": ")" + links[l][0] + R"(", "to": ")" +
              links[l][1] + R"(", "bandwidth": 1e9, "propagation": 1e-6})";
    TemporaryFile file(text + "]}");
    return machine(file.name());
  };
  SECTION("two between the same nodes") {
    Machine twice = target("abc", {"ab", "ab", "bc"});
    CHECK(faultOf(twice) == "");
    MachineLayout layout = layOut(twice);
    CHECK(layout.bends[0].empty());
    CHECK(layout.bends[2].size() == 2);
    CHECK(layout.bends[3].size() == 2);
  }
  SECTION("across a circle") {
    CHECK(faultOf(target("abcd", {"ab", "bc", "cd", "da", "ac", "bd"})) == "");
  }
}

TEST_CASE("the link that closes a row is drawn beside it, both directions in one place") {
  Machine target = machine("torus2d", {"width=4", "height=1"}, 4);
  MachineLayout layout = layOut(target);
  for (size_t l = 0; l < target.links().size(); ++l) {
    const Link &link = target.links()[l];
    double from = layout.nodes[link.from.index()].x, to = layout.nodes[link.to.index()].x;
    if (std::abs(from - to) < 3) {
      CHECK(layout.bends[l].empty());
      continue;
    }
    REQUIRE(layout.bends[l].size() == 2);
    for (Point at : layout.bends[l])
      CHECK(at.y < layout.nodes[link.from.index()].y - layout.endpointSide / 2);
    CHECK((layout.bends[l][0].x < layout.bends[l][1].x) == (from < to));
  }
}

TEST_CASE("a long ring is a rectangle of neighbours") {
  for (uint32_t n : {33u, 34u, 50u, 127u, 128u}) {
    CAPTURE(n);
    Machine ring = machine("ring", {}, n);
    MachineLayout layout = layOut(ring);
    CHECK(faultOf(ring, layout) == "");
    CHECK((layout.width > layout.height && layout.width < 2.2 * layout.height));
    // The last step of an odd ring is over an empty place.
    for (uint32_t e = 0; e < n; ++e)
      CHECK(distance(layout.nodes[e], layout.nodes[(e + 1) % n]) <
            (e + 1 == n && n % 2 == 1 ? 2.8 : 1.4));
  }
}

TEST_CASE("endpoints of a grid with absent places keep their coordinates") {
  TemporaryFile file(R"({"name": "g", "family": "graph", "shape": "torus",
    "dimensions": [{"size": 6}, {"size": 5}], "absent": [8, 20, 21]})");
  Machine grid = machine(file.name());
  MachineLayout layout = layOut(grid);
  CHECK(faultOf(grid, layout) == "");
  auto at = [&](uint32_t e) { return layout.nodes[grid.endpointNode(EndpointId(e)).index()]; };
  // n0, n6, n12: one column. n9 is endpoint 8, because n8 is absent.
  CHECK(at(6).x == at(0).x);
  CHECK(grid.nodes()[grid.endpointNode(EndpointId(8)).index()].name == "n9");
  CHECK(at(8).x == at(3).x);
  CHECK(at(8).y == at(6).y);
  CHECK(at(8).x - at(7).x == Approx(2 * (at(1).x - at(0).x)));
}

TEST_CASE("numbers in names are coordinates if links are steps along them") {
  auto target = [](StringRef link) {
    std::string nodes, links;
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 3; ++x)
        if (x != 1 || y != 1)
          nodes += (nodes.empty() ? "" : ", ") + std::string("{\"name\": \"c") + std::to_string(x) +
                   "_" + std::to_string(y) + "\"}";
    std::vector<StringRef> steps = {"c0_0 c1_0", "c1_0 c2_0", "c2_0 c2_1", "c2_1 c2_2",
                                    "c2_2 c1_2", "c1_2 c0_2", "c0_2 c0_1", link};
    for (StringRef ends : steps) {
      auto [from, to] = ends.split(' ');
      links += (links.empty() ? "" : ", ") +
               ("{\"from\": \"" + from + "\", \"to\": \"" + to + "\", \"bandwidth\": 1e9}").str();
    }
    TemporaryFile file(R"({"name": "c", "family": "graph", "nodes": [)" + nodes +
                       "], \"links\": [" + links + "]}");
    return machine(file.name());
  };
  Machine grid = target("c0_1 c0_0");
  REQUIRE(grid.grid());
  CHECK(grid.grid()->sizes == std::vector<uint32_t>{3, 3});
  MachineLayout layout = layOut(grid);
  CHECK(layout.nodes[0].x == layout.nodes[3].x); // c0_0 and c0_1
  CHECK(layout.nodes[0].y == layout.nodes[2].y); // c0_0 and c2_0
  CHECK(layout.nodes[4].x - layout.nodes[3].x ==
        Approx(2 * (layout.nodes[1].x - layout.nodes[0].x)));
  CHECK(target("c0_1 c0_2").grid());
  CHECK_FALSE(target("c0_1 c1_2").grid()); // two coordinates differ
}

TEST_CASE("dimensions are drawn to the right, downwards, obliquely and as blocks") {
  auto grid = [](const std::string &shape, const std::string &sizes) {
    TemporaryFile file(R"({"name": "grid", "family": "graph", "shape": ")" + shape +
                       R"(", "dimensions": [)" + sizes + "]}");
    return machine(file.name());
  };
  Machine torus = grid("torus", R"({"size": 4}, {"size": 3}, {"size": 4}, {"size": 2})");
  MachineLayout layout = layOut(torus);
  auto step = [&](uint32_t from, uint32_t to) {
    Point a = layout.nodes[from], b = layout.nodes[to];
    return std::pair(b.x - a.x, b.y - a.y);
  };
  auto [right, none] = step(0, 1);
  auto [still, down] = step(0, 4);
  auto [aside, up] = step(0, 12);
  CHECK((right > 0 && none == 0));
  CHECK((still == 0 && down > 0));
  CHECK((aside > 0 && up < 0));
  // Nodes of one column and row are between those of the next.
  CHECK((3 * aside < right && -3 * up < down));
  CHECK(step(0, 48).first > 4 * right);

  CHECK(faultOf(grid("torus", R"({"size": 4}, {"size": 4}, {"size": 4})")) == "");
  CHECK(faultOf(grid("mesh", R"({"size": 3}, {"size": 5}, {"size": 2})")) == "");
  CHECK(faultOf(grid("torus", R"({"size": 2}, {"size": 2}, {"size": 2}, {"size": 2})")) == "");
}
