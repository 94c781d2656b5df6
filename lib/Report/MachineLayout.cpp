#include "MachineLayout.h"

#include "llvm/ADT/StringRef.h"

#include <cmath>
#include <numbers>

using namespace cclc;

namespace {
using Point = MachineLayout::Point;

/// "cube12" with \p prefix "cube" is 12.
std::optional<uint32_t> number(StringRef text, StringRef prefix) {
  uint32_t n;
  if (!text.consume_front(prefix) || text.consumeInteger(10, n))
    return std::nullopt;
  return n;
}

/// The columns of a nearly square arrangement of \p n, wider than high.
uint32_t columnsFor(uint32_t n) { return uint32_t(std::ceil(std::sqrt(double(n)))); }

class Layouter {
public:
  explicit Layouter(const Machine &machine) : machine(machine), placed(machine.nodes().size()) {
    result.nodes.resize(machine.nodes().size());
  }

  MachineLayout run() {
    const auto &levels = machine.geometry().levels;
    if (levels.size() == 3 && levels[1].name == "cube")
      placeAhbm(levels[0], levels[1]);
    else if (levels.size() == 2 && levels[0].name == "node")
      placeSwitched(levels[0].size(), levels[1].size());
    else
      placeGraph();
    placeRest();
    return std::move(result);
  }

private:
  void place(size_t node, double x, double y) {
    result.nodes[node] = {x, y};
    placed[node] = true;
  }

  // --- SIPs of cubes of PEs: the names of Target/Ahbm.cpp ------------------------------

  static constexpr double cubeSide = 8, cubePitch = 9.4, ioHeight = 5, margin = 1.2;

  void placeAhbm(const GridLevel &sips, const GridLevel &cubes) {
    double sipWidth = cubes.width * cubePitch + 2 * margin - (cubePitch - cubeSide);
    double sipHeight = cubes.height * cubePitch + 2 * margin - (cubePitch - cubeSide) + ioHeight;
    uint32_t columns = sips.height > 1 ? sips.width : std::min(sips.size(), 3u);
    uint32_t rows = (sips.size() + columns - 1) / columns;
    double gap = 3;
    result.width = columns * (sipWidth + gap) - gap;
    result.height = rows * (sipHeight + gap);
    auto sipAt = [&](uint32_t s) {
      return Point{s % columns * (sipWidth + gap), gap + s / columns * (sipHeight + gap)};
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
        place(n, result.width / 2, gap / 3);
        continue;
      }
      StringRef part = name.split('.').second;
      if (std::optional<uint32_t> cube = number(part, "cube"))
        placeInCube(n, part.split('.').second, cubeAt(*sip, *cube));
      else
        placeInIo(n, part.split('.').second, sipAt(*sip), sipWidth, cubes);
    }
  }

  void placeInCube(size_t n, StringRef part, Point cube) {
    uint32_t row, column;
    StringRef rest = part;
    if (rest.consume_front("r") && !rest.consumeInteger(10, row) && rest.consume_front("c") &&
        !rest.consumeInteger(10, column))
      return place(n, cube.x + 1.5 + column, cube.y + 1.5 + row);
    if (!part.consume_front("ucie_"))
      return; // beside its router
    static constexpr double connectionPlace[] = {1.5, 2.5, 5.5, 6.5};
    std::optional<uint32_t> connection = number(part.split('.').second, "conn");
    double along = connection ? connectionPlace[*connection % 4] : cubeSide / 2;
    double away = connection ? 0.75 : 0.2;
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
    if (connection)
      place(n, x + (double(*connection) - 1.5) * 0.5, sip.y + 3.4);
    else
      place(n, x, sip.y + 4.4);
  }

  // --- GPUs behind switches: the names of Target/Switched.cpp --------------------------

  void placeSwitched(uint32_t nodes, uint32_t gpus) {
    double pitch = 2.2, gap = 1.5, boxHeight = 6.5;
    double boxWidth = std::max(gpus * pitch + 0.6, 4.0);
    uint32_t columns = std::min(nodes, std::max(2u, columnsFor(nodes)));
    uint32_t rows = (nodes + columns - 1) / columns;
    result.width = columns * (boxWidth + gap) - gap;
    result.height = rows * (boxHeight + gap) + (nodes > 1 ? 1.5 : -gap);
    for (uint32_t b = 0; b < nodes; ++b)
      result.boxes.push_back({"node" + std::to_string(b), b % columns * (boxWidth + gap),
                              b / columns * (boxHeight + gap), boxWidth, boxHeight});
    for (size_t n = 0; n < machine.nodes().size(); ++n) {
      StringRef name = machine.nodes()[n].name;
      std::optional<uint32_t> box = number(name, "node");
      if (!box) {
        place(n, result.width / 2, result.height - 0.5);
        continue;
      }
      const MachineLayout::Box &at = result.boxes[*box];
      StringRef part = name.split('.').second;
      double perNic = double(gpus) / std::max<size_t>(countNics(*box), 1);
      if (std::optional<uint32_t> gpu = number(part, "gpu"))
        place(n, at.x + 0.3 + (*gpu + 0.5) * pitch, at.y + 3.6);
      else if (std::optional<uint32_t> nic = number(part, "nic"))
        place(n, at.x + 0.3 + (*nic + 0.5) * perNic * pitch, at.y + 5.6);
      else
        place(n, at.x + boxWidth / 2, at.y + 1.2);
    }
  }

  size_t countNics(uint32_t box) {
    if (nics.empty())
      for (const Node &node : machine.nodes())
        if (std::optional<uint32_t> of = number(node.name, "node");
            of && StringRef(node.name).contains(".nic")) {
          nics.resize(std::max<size_t>(nics.size(), *of + 1));
          ++nics[*of];
        }
    return box < nics.size() ? nics[box] : 0;
  }

  // --- Anything else: a grid or a circle ------------------------------

  void placeGraph() {
    const GridLevel &last = machine.geometry().levels.back();
    uint32_t n = machine.numEndpoints();
    bool grid = last.kind == GridKind::Mesh2DNoWrap || last.kind == GridKind::Torus2D;
    if (grid && uint64_t(last.width) * last.height == n) {
      double pitch = 2.5;
      result.width = last.width * pitch;
      result.height = last.height * pitch;
      for (uint32_t e = 0; e < n; ++e)
        place(machine.endpointNode(e).index(), (e % last.width + 0.5) * pitch,
              (e / last.width + 0.5) * pitch);
      return;
    }
    double radius = std::max(3.0, n * 2.2 / (2 * std::numbers::pi));
    result.width = result.height = 2 * radius + 3;
    for (uint32_t e = 0; e < n; ++e) {
      double angle = 2 * std::numbers::pi * e / n - std::numbers::pi / 2;
      place(machine.endpointNode(e).index(), result.width / 2 + radius * std::cos(angle),
            result.height / 2 + radius * std::sin(angle));
    }
  }

  // --- What is left stands beside what it is joined to -----------------------------------

  /// In rounds, so that parts of parts find a place too. Inside a PE all parts are in one place.
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
          at = b.contains("hbm")   ? Point{at.x - 0.32, at.y + 0.32}
               : b.contains(".pe") ? Point{at.x + 0.32, at.y + 0.32}
                                   : Point{at.x + 0.32, at.y - 0.32};
        place(to, at.x, at.y);
        changed = true;
      }
    }
    for (size_t n = 0; n < placed.size(); ++n)
      if (!placed[n])
        place(n, 0, 0);
  }

  const Machine &machine;
  MachineLayout result;
  std::vector<bool> placed;
  std::vector<size_t> nics; ///< by node box
};
} // namespace

MachineLayout cclc::layOut(const Machine &machine) { return Layouter(machine).run(); }
