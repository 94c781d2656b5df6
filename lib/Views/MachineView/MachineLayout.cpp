//===- MachineLayout.cpp - Positions of the parts of a machine ------------===//
//
// SIPs of cubes of PEs are arranged by the names of their nodes, and the remaining nodes placed
// beside a node to which they are linked. Endpoints without switches are drawn as a grid, if their
// geometry has at least two dimensions, or on a circle.
//
//===----------------------------------------------------------------------===//

#include "LinkBends.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace cclc;

namespace {
using Point = MachineLayout::Point;

/// The number after a prefix: 12 for "cube12" and \p prefix "cube".
std::optional<uint32_t> number(StringRef text, StringRef prefix) {
  uint32_t n;
  if (!text.consume_front(prefix) || text.consumeInteger(10, n))
    return std::nullopt;
  return n;
}

bool isAhbm(const Machine &machine) {
  ArrayRef<GridLevel> levels = machine.geometry().levels;
  return levels.size() == 3 && levels[1].name == "cube";
}

bool isGrid(const GridLevel &level) {
  return level.kind == GridKind::Mesh2DNoWrap || level.kind == GridKind::Torus2D;
}

/// The dimensions in which endpoints are drawn, the one with consecutive numbers first, and their
/// places; one dimension for a ring or a flat machine.
EndpointGrid gridOf(const Machine &machine) {
  ArrayRef<GridLevel> levels = machine.geometry().levels;
  const bool isFlat = levels.size() == 1 && !isGrid(levels.front());
  if (machine.grid() && !(isFlat && levels.front().kind == GridKind::Ring1D))
    return *machine.grid();
  EndpointGrid grid;
  for (const GridLevel &level : llvm::reverse(levels))
    grid.sizes.push_back(level.size());
  if (levels.size() == 1 && !isFlat)
    grid.sizes = {levels.front().width, levels.front().height};
  for (uint32_t e = 0; e < machine.numEndpoints(); ++e)
    grid.places.push_back(e);
  return grid;
}

class Layouter {
public:
  explicit Layouter(const Machine &machine) : machine(machine), placed(machine.nodes().size()) {
    result.nodes.resize(machine.nodes().size());
    result.bends.resize(machine.links().size());
  }

  MachineLayout run() {
    const auto &levels = machine.geometry().levels;
    result.endpointSide = 0.9;
    if (isAhbm(machine))
      placeAhbm(levels[0], levels[1]);
    else
      placeGraph();
    placeRest();
    if (!isDenseCircle)
      bendLinks(machine, result);
    fit();
    return std::move(result);
  }

private:
  void place(size_t node, double x, double y) {
    result.nodes[node] = {x, y};
    placed[node] = true;
  }

  // --- SIPs of cubes of PEs: the names of Target/Ahbm.cpp ------------------------------

  static constexpr double cubeSide = 8, cubePitch = 9.4, ioHeight = 5, margin = 1.2;
  static constexpr double sipGap = 3, laneWidth = 0.4;

  void placeAhbm(const GridLevel &sips, const GridLevel &cubes) {
    double sipWidth = cubes.width * cubePitch + 2 * margin - (cubePitch - cubeSide);
    double sipHeight = cubes.height * cubePitch + 2 * margin - (cubePitch - cubeSide) + ioHeight;
    uint32_t columns = sips.height > 1 ? sips.width : std::min(sips.size(), 3u);
    uint32_t rows = (sips.size() + columns - 1) / columns;
    result.endpointSide = 0.42;
    // The gap between two columns contains the links of both to the switch.
    double gap = std::max(sipGap, 2 * rows * laneWidth);
    result.width = columns * (sipWidth + gap) - gap;
    result.height = rows * (sipHeight + sipGap);
    auto sipAt = [&](uint32_t s) {
      return Point{s % columns * (sipWidth + gap), sipGap + s / columns * (sipHeight + sipGap)};
    };
    for (uint32_t s = 0; s < sips.size(); ++s)
      result.boxes.push_back(
          {"sip" + std::to_string(s), sipAt(s).x, sipAt(s).y, sipWidth, sipHeight});
    auto cubeAt = [&](uint32_t s, uint32_t c) {
      return Point{sipAt(s).x + margin + c % cubes.width * cubePitch,
                   sipAt(s).y + margin + ioHeight + c / cubes.width * cubePitch};
    };
    for (uint32_t s = 0; s < sips.size(); ++s)
      for (uint32_t c = 0; c < cubes.size(); ++c)
        result.boxes.push_back({"sip" + std::to_string(s) + ".cube" + std::to_string(c),
                                cubeAt(s, c).x, cubeAt(s, c).y, cubeSide, cubeSide});
    for (size_t n = 0; n < machine.nodes().size(); ++n) {
      StringRef name = machine.nodes()[n].name;
      std::optional<uint32_t> sip = number(name, "sip");
      if (!sip) {
        place(n, result.width / 2, sipGap / 3);
        continue;
      }
      StringRef part = name.split('.').second;
      if (std::optional<uint32_t> cube = number(part, "cube"))
        placeInCube(n, part.split('.').second, cubeAt(*sip, *cube));
      else
        placeInIo(n, part.split('.').second, sipAt(*sip), sipWidth, cubes);
    }
    std::vector<Point> corners;
    for (uint32_t s = 0; s < sips.size(); ++s)
      corners.push_back(sipAt(s));
    bendUplinks(corners, columns, sipWidth, gap);
  }

  /// Bends the links to the switch of SIPs below the first row: they lead up between two columns,
  /// those of lower rows in the middle, and end one above the other.
  void bendUplinks(ArrayRef<Point> corners, uint32_t columns, double sipWidth, double gap) {
    size_t rows = (corners.size() + columns - 1) / columns;
    double middle = result.width / 2;
    std::vector<double> lane;
    for (size_t s = 0; s < corners.size(); ++s) {
      double inner = laneWidth * (double(rows - s / columns) - 0.5);
      lane.push_back(s % columns > 0 ? corners[s].x - gap / 2 + inner
                                     : corners[s].x + sipWidth + gap / 2 - inner);
    }
    for (size_t l = 0; l < machine.links().size(); ++l) {
      StringRef from = machine.nodes()[machine.links()[l].from.index()].name;
      StringRef to = machine.nodes()[machine.links()[l].to.index()].name;
      std::optional<uint32_t> up = number(from, "sip"), down = number(to, "sip");
      size_t sip = up.value_or(down.value_or(0));
      if (up.has_value() == down.has_value() || sip < columns)
        continue;
      double x = lane[sip], y = corners[sip].y - sipGap / 2, nearer = 0;
      for (size_t s = columns; s < lane.size(); ++s)
        nearer += (lane[s] < middle) == (x < middle) &&
                  std::abs(lane[s] - middle) < std::abs(x - middle) - 1e-6;
      std::vector<Point> &bends = result.bends[l];
      bends = {{corners[sip].x + sipWidth / 2, y}, {x, y}, {x, sipGap / 3 - laneWidth * nearer}};
      if (down)
        std::reverse(bends.begin(), bends.end());
    }
  }

  void placeInCube(size_t n, StringRef part, Point cube) {
    uint32_t row, column;
    StringRef rest = part;
    if (rest.consume_front("r") && !rest.consumeInteger(10, row) && rest.consume_front("c") &&
        !rest.consumeInteger(10, column))
      return place(n, cube.x + 1.5 + column, cube.y + 1.5 + row);
    if (!part.consume_front("ucie_"))
      return; // placeRest() places it beside its router
    // Two connections at each corner router, so that no line of one leads over the other.
    static constexpr double connectionPlace[] = {1.5, 1.2, 6.32, 6.5};
    static constexpr double connectionDepth[] = {0.75, 0.45, 0.75, 0.45};
    std::optional<uint32_t> connection = number(part.split('.').second, "conn");
    double along = connection ? connectionPlace[*connection % 4] : cubeSide / 2;
    double away = connection ? connectionDepth[*connection % 4] : 0.2;
    switch (part.front()) {
    case 'n':
      return place(n, cube.x + along, cube.y + away);
    case 's':
      return place(n, cube.x + along, cube.y + cubeSide - away);
    case 'w':
      return place(n, cube.x + away, cube.y + along);
    default:
      return place(n, cube.x + cubeSide - away, cube.y + along);
    }
  }

  void placeInIo(size_t n, StringRef part, Point sip, double width, const GridLevel &cubes) {
    if (part == "io_noc" || part == "pcie_ep" || part == "io_cpu")
      return place(n, sip.x + width / 2 + (part == "io_cpu" ? 2 : 0),
                   sip.y + (part == "pcie_ep" ? 0.6 : 1.8));
    std::optional<uint32_t> phy = number(part, "io_ucie");
    if (!phy)
      return;
    double x = sip.x + margin + *phy % cubes.width * cubePitch + cubeSide / 2;
    std::optional<uint32_t> connection = number(part.split('.').second, "conn");
    // Arranged in steps towards the outside, so that no line from the middle crosses another one.
    double aside = connection ? (double(*connection) - 1.5) * 0.5 : 0;
    if (connection)
      place(n, x + aside, sip.y + 3.1 + (x < sip.x + width / 2 ? aside : -aside) * 0.5);
    else
      place(n, x, sip.y + 4.4);
  }

  // --- Other machines: a grid or a circle ------------------------------------------------

  void placeGraph() {
    EndpointGrid grid = gridOf(machine);
    if (grid.sizes.size() > 1)
      placeDimensions(grid);
    else if (machine.numEndpoints() > mostOnCircle && !hasChords())
      placeLoop();
    else
      placeCircle();
  }

  /// A long ring is a rectangle, so that its nodes are legible.
  void placeLoop() {
    constexpr double pitch = 1.35;
    uint32_t n = machine.numEndpoints();
    for (uint32_t e = 0; e < n; ++e) {
      auto [column, row] = placeOnLoop(e, n);
      place(machine.endpointNode(EndpointId(e)).index(), pitch * (column + 0.5),
            pitch * (row + 0.5));
      result.width = std::max(result.width, pitch * (column + 1));
      result.height = std::max(result.height, pitch * (row + 1));
    }
  }

  /// Dimension 0 is drawn from left to right, dimension 1 downwards and dimension 2 obliquely, from
  /// the lower left to the upper right. Further dimensions are drawn as blocks, from left to right
  /// and downwards by turns.
  void placeDimensions(const EndpointGrid &grid) {
    ArrayRef<uint32_t> sizes = grid.sizes;
    constexpr double pitch = 2.5;
    // Not diagonal, because lines are bent diagonally.
    constexpr Point oblique = {2.3, -1.7};
    double depth = sizes.size() > 2 ? sizes[2] - 1 : 0;
    // The distance of neighbours in each dimension.
    std::vector<Point> steps = {
        {pitch + depth * oblique.x, 0}, {0, pitch - depth * oblique.y}, oblique};
    double width = sizes[0] * steps[0].x, height = sizes[1] * steps[1].y;
    for (size_t d = 3; d < sizes.size(); ++d) {
      double &side = d % 2 ? width : height;
      steps.push_back(d % 2 ? Point{side + pitch / 2, 0} : Point{0, side + pitch / 2});
      side = (d % 2 ? steps[d].x : steps[d].y) * sizes[d];
    }
    result.width = width;
    result.height = height;
    for (uint32_t e = 0; e < machine.numEndpoints(); ++e) {
      Point at = {pitch / 2, pitch / 2 - depth * oblique.y};
      uint32_t rest = grid.places[e];
      for (size_t d = 0; d < sizes.size(); rest /= sizes[d++]) {
        at.x += rest % sizes[d] * steps[d].x;
        at.y += rest % sizes[d] * steps[d].y;
      }
      place(machine.endpointNode(EndpointId(e)).index(), at.x, at.y);
    }
  }

  void placeCircle() {
    uint32_t n = machine.numEndpoints();
    // Dense graphs are drawn as a ring with only a few lines, which are straight.
    isDenseCircle = isDense();
    double pitch = isDenseCircle ? 1.4 : 2.2;
    double radius = std::max(3.0, n * pitch / (2 * std::numbers::pi));
    // Leave space for lines between the two neighbours of a node.
    if (n > 3 && hasChords() && !isDenseCircle)
      radius = std::max(radius, result.endpointSide / (1 - std::cos(2 * std::numbers::pi / n)));
    result.width = result.height = 2 * radius + 3;
    for (uint32_t e = 0; e < n; ++e) {
      double angle = 2 * std::numbers::pi * e / n - std::numbers::pi / 2;
      place(machine.endpointNode(EndpointId(e)).index(),
            result.width / 2 + radius * std::cos(angle),
            result.height / 2 + radius * std::sin(angle));
    }
  }

  /// More than half of the links of a large complete graph: the page draws only the busiest lines.
  bool isDense() const {
    constexpr size_t mostPairs = 96;
    size_t n = machine.numEndpoints(), pairs = machine.links().size() / 2;
    return pairs > mostPairs && 4 * pairs >= n * (n - 1);
  }

  bool hasChords() const {
    const std::vector<OptionalIndex> endpoint = machine.endpointsByNode();
    const uint32_t n = machine.numEndpoints();
    return llvm::any_of(machine.links(), [&](const Link &link) {
      OptionalIndex a = endpoint[link.from.index()], b = endpoint[link.to.index()];
      return a && b && (*a + 1) % n != *b && (*b + 1) % n != *a;
    });
  }

  // --- The remaining nodes ---------------------------------------------------------------

  /// Places the remaining nodes in rounds, so that parts of parts are placed as well. All parts
  /// inside a PE have one position.
  void placeRest() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const Link &link : machine.links()) {
        size_t from = link.from.index(), to = link.to.index();
        if (!placed[from] || placed[to])
          continue;
        Point at = result.nodes[from];
        StringRef a = machine.nodes()[from].name, b = machine.nodes()[to].name;
        if (a.rsplit('.').first != b.rsplit('.').first || !a.contains(".pe"))
          at = b.contains("hbm")   ? Point{at.x - beside / 1.5, at.y + beside}
               : b.contains(".pe") ? Point{at.x + beside, at.y + beside}
                                   : Point{at.x + beside, at.y - beside};
        place(to, at.x, at.y);
        changed = true;
      }
    }
    for (size_t n = 0; n < placed.size(); ++n)
      if (!placed[n])
        place(n, 0, 0);
  }

  /// Extends the drawing to include bends, which may be outside the area of the nodes.
  void fit() {
    double left = 0, top = 0, right = result.width, bottom = result.height, border = 0.3;
    for (const std::vector<Point> &line : result.bends)
      for (Point at : line) {
        left = std::min(left, at.x - border);
        top = std::min(top, at.y - border);
        right = std::max(right, at.x + border);
        bottom = std::max(bottom, at.y + border);
      }
    auto move = [&](auto &at) {
      at.x -= left;
      at.y -= top;
    };
    llvm::for_each(result.nodes, move);
    llvm::for_each(result.boxes, move);
    for (std::vector<Point> &line : result.bends)
      llvm::for_each(line, move);
    result.width = right - left;
    result.height = bottom - top;
  }

  /// More endpoints of a ring are placed on a rectangle.
  static constexpr uint32_t mostOnCircle = 32;
  /// The distance of PEs and other parts from their router.
  static constexpr double beside = 0.36;

  const Machine &machine;
  MachineLayout result;
  std::vector<bool> placed;
  bool isDenseCircle = false;
};
} // namespace

Arrangement cclc::arrangementOf(const Machine &machine, const MachineGroups &groups) {
  constexpr uint32_t mostOnCircle = 128;
  uint32_t n = machine.numEndpoints();
  if (isAhbm(machine))
    return Arrangement::Placed;
  if (machine.nodes().size() == n)
    return gridOf(machine).sizes.size() > 1 || n <= mostOnCircle ? Arrangement::Placed
                                                                 : Arrangement::Circle;
  // Switches with direct links, such as the routers of a dragonfly, if all belong to groups.
  bool isFlat = llvm::all_of(groups.tiers, [](uint32_t tier) { return tier <= 1; });
  bool isLinked = llvm::any_of(machine.links(), [&](const Link &link) {
    return groups.tiers[link.from.index()] == 1 && groups.tiers[link.to.index()] == 1;
  });
  bool isInGroups = llvm::all_of(groups.ofNode, [](OptionalIndex group) { return !!group; });
  return isFlat && isLinked && isInGroups ? Arrangement::Circle : Arrangement::Tiers;
}

std::pair<uint32_t, uint32_t> cclc::placeOnLoop(uint32_t i, uint32_t n) {
  // About 16:10; the last place on the left-hand side is empty if n is odd.
  const uint32_t height = std::max(2u, (n + 4) * 5 / 26), width = (n + 5) / 2 - height;
  const uint32_t across = width - 1, down = height - 1;
  if (i < across)
    return {i, 0};
  if (i < across + down)
    return {across, i - across};
  if (i < 2 * across + down)
    return {2 * across + down - i, down};
  return {0, 2 * (across + down) - i};
}

MachineLayout cclc::layOut(const Machine &machine) { return Layouter(machine).run(); }
