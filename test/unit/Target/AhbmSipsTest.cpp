//===- AhbmSipsTest.cpp - Direct links between SIPs -----------------------===//
//
// The links and the lengths of routes of rings, tori and meshes of SIPs against closed forms.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include <cstdlib>
#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {
struct Grid {
  const char *topology;
  uint32_t width, height;
  bool wraps() const { return StringRef(topology) != "mesh_2d_no_wrap"; }
  uint32_t sips() const { return width * height; }

  static uint32_t distance(uint32_t a, uint32_t b, uint32_t size, bool wraps) {
    uint32_t d = a < b ? b - a : a - b;
    return wraps ? std::min(d, size - d) : d;
  }
  uint32_t distance(uint32_t a, uint32_t b) const {
    return distance(a % width, b % width, width, wraps()) +
           distance(a / width, b / width, height, wraps());
  }
  /// Two members of a line that wraps are connected by one link, not two.
  static uint32_t linksOfLine(uint32_t size, bool wraps) {
    return wraps && size > 2 ? size : size - 1;
  }
  uint32_t links() const {
    return 2 * (height * linksOfLine(width, wraps()) + width * linksOfLine(height, wraps()));
  }
};
const Grid grids[] = {
    {"ring_1d", 1, 1},         {"ring_1d", 2, 1},         {"ring_1d", 5, 1},
    {"ring_1d", 6, 1},         {"torus_2d", 2, 2},        {"torus_2d", 3, 4},
    {"torus_2d", 5, 1},        {"mesh_2d_no_wrap", 3, 2}, {"mesh_2d_no_wrap", 4, 4},
    {"mesh_2d_no_wrap", 1, 5}, {"torus_2d", 4, 2}};

/// SIPs of one cube with one PE, so that endpoint s is SIP s.
Machine sips(const Grid &grid, std::vector<std::string> more = {}) {
  std::vector<std::string> keys = {"sips.links=direct",
                                   "cubes.width=1",
                                   "cubes.height=1",
                                   "cubes.pes=1",
                                   "io.phys=1",
                                   "sips.count=" + std::to_string(grid.sips()),
                                   std::string("sips.topology=") + grid.topology};
  if (StringRef(grid.topology) != "ring_1d")
    for (auto [key, size] : {std::pair("sips.width=", grid.width), {"sips.height=", grid.height}})
      keys.push_back(key + std::to_string(size));
  keys.insert(keys.end(), more.begin(), more.end());
  return machine("ahbm", keys);
}

/// The SIPs whose PCIe endpoints a route passes.
std::vector<uint32_t> passed(const Machine &m, uint32_t src, uint32_t dst) {
  SmallVector<LinkId, 64> route;
  m.route(EndpointId(src), EndpointId(dst), route);
  std::vector<uint32_t> result;
  for (LinkId id : route) {
    StringRef name = m.nodes()[m.link(id).to.index()].name;
    if (!name.ends_with(".io0.pcie_ep"))
      continue;
    uint32_t sip;
    REQUIRE_FALSE(name.drop_front(3).split('.').first.getAsInteger(10, sip));
    result.push_back(sip);
  }
  return result;
}
} // namespace

TEST_CASE("neighbouring SIPs have direct links", "[ahbm]") {
  for (const Grid &grid : grids) {
    INFO(grid.topology << " " << grid.width << " x " << grid.height);
    Machine m = sips(grid);
    std::set<std::pair<std::string, std::string>> links;
    for (const Link &link : m.links()) {
      const std::string &from = m.nodes()[link.from.index()].name,
                        &to = m.nodes()[link.to.index()].name;
      CHECK(from != "fabric.switch0");
      if (!StringRef(from).ends_with("pcie_ep") || !StringRef(to).ends_with("pcie_ep"))
        continue;
      CHECK(links.emplace(from, to).second);
      CHECK(link.bandwidth == Bandwidth(512'000'000'000));
      CHECK(link.propagation.picoseconds() == 100);
      CHECK(link.reverse);
    }
    CHECK(links.size() == grid.links());
  }
}

TEST_CASE("messages cross SIPs by the shortest route, the row first", "[ahbm]") {
  for (const Grid &grid : grids) {
    INFO(grid.topology << " " << grid.width << " x " << grid.height);
    Machine m = sips(grid);
    for (uint32_t src = 0; src < grid.sips(); ++src)
      for (uint32_t dst = 0; dst < grid.sips(); ++dst) {
        if (src == dst)
          continue;
        std::vector<uint32_t> route = passed(m, src, dst);
        REQUIRE(route.size() == grid.distance(src, dst) + 1);
        CHECK(route.front() == src);
        CHECK(route.back() == dst);
        bool inColumn = false;
        for (size_t i = 1; i < route.size(); ++i) {
          CHECK(grid.distance(route[i - 1], route[i]) == 1);
          bool down = route[i] % grid.width == route[i - 1] % grid.width;
          CHECK((down || !inColumn));
          inColumn |= down;
        }
      }
  }
}

TEST_CASE("equally long directions between SIPs lead upwards", "[ahbm]") {
  Machine ring = sips({"ring_1d", 6, 1});
  CHECK(passed(ring, 1, 4) == std::vector<uint32_t>{1, 2, 3, 4});
  CHECK(passed(ring, 4, 1) == std::vector<uint32_t>{4, 5, 0, 1});
  CHECK(passed(ring, 5, 1) == std::vector<uint32_t>{5, 0, 1});
}

TEST_CASE("links between SIPs have their own rate and length", "[ahbm]") {
  auto check = [](const Machine &m, StringRef from) {
    for (const Link &link : m.links())
      if (m.nodes()[link.from.index()].name == from &&
          StringRef(m.nodes()[link.to.index()].name).ends_with("1.io0.pcie_ep")) {
        CHECK(link.bandwidth == Bandwidth(64'000'000'000));
        CHECK(link.propagation.picoseconds() == 5'000);
        return;
      }
    FAIL("no link from " << from.str());
  };
  std::vector<std::string> keys = {"sips.link_bandwidth=64e9", "sips.link_length=0.5"};
  check(sips({"ring_1d", 3, 1}, keys), "sip0.io0.pcie_ep");
  check(machine("ahbm", keys), "fabric.switch0");
}

TEST_CASE("messages avoid a missing link between SIPs", "[ahbm]") {
  Machine m = sips({"ring_1d", 5, 1}, {"links.sip0.io0.pcie_ep->sip1.io0.pcie_ep=off"});
  CHECK(passed(m, 0, 1) == std::vector<uint32_t>{0, 4, 3, 2, 1});
  CHECK(passed(m, 1, 0) == std::vector<uint32_t>{1, 0});
}
