//===- MachineLayoutTest.cpp - Drawings of machines -----------------------===//

#include "MachineLayout.h"
#include "Plans.h"

#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr const char *targets[] = {"ahbm",     "ahbm-6sip-torus", "ndv4",           "dgx1",
                                   "dgx-h100", "mi300x",          "bluefield3",     "ring",
                                   "mesh2d",   "torus2d",         "fully-connected"};
}

TEST_CASE("every endpoint of a machine has a place of its own in the drawing") {
  for (const char *name : targets) {
    CAPTURE(name);
    Machine target = machine(name, {}, 16);
    MachineLayout layout = layOut(target);
    REQUIRE(layout.nodes.size() == target.nodes().size());
    std::set<std::pair<double, double>> places;
    for (uint32_t e = 0; e < target.numEndpoints(); ++e) {
      auto [x, y] = layout.nodes[target.endpointNode(e).index()];
      CHECK((x > 0 && x < layout.width && y > 0 && y < layout.height));
      CHECK(places.insert({x, y}).second);
    }
    for (MachineLayout::Point at : layout.nodes)
      REQUIRE((at.x >= 0 && at.x <= layout.width && at.y >= 0 && at.y <= layout.height));
  }
}

TEST_CASE("the PEs of AHBM stand in the boxes of their cubes, and these in their SIPs") {
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
    auto [x, y] = layout.nodes[target.endpointNode(e).index()];
    CHECK(contains(inner, x, y));
    CHECK(contains(outer, inner.x, inner.y));
    CHECK(contains(outer, inner.x + inner.width, inner.y + inner.height));
  }
  // Of two cubes that are neighbours in a row the one with the larger number is on the right.
  CHECK(layout.boxes[3].x > layout.boxes[2].x + layout.boxes[2].width);
  CHECK(layout.boxes[3].y == layout.boxes[2].y);
  CHECK(layout.boxes[6].y > layout.boxes[2].y + layout.boxes[2].height);
}
