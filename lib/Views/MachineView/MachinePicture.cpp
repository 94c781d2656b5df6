//===- MachinePicture.cpp - The picture of a machine ----------------------===//
//
// Machines without switches have the positions of reports (MachineLayout.h), dragonflies are a
// circle of circles, and all others are nested frames. The picture has every node if all names are
// legible on a page, and otherwise the groups of the deepest level for which they are.
//
//===----------------------------------------------------------------------===//

#include "MachinePicture.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

using namespace cclc;

namespace {
using Box = MachinePicture::Box;
using Point = MachinePicture::Point;
using Size = MachinePicture::Size;

/// On a page of 1,600 pixels, letters of 10 points are 7 pixels high in a picture of this width.
constexpr double mostWidth = 2250, mostHeight = 2250;
constexpr uint32_t mostGroups = 128;

/// The switches of every outermost group, each with its endpoints.
using Circles = std::map<uint32_t, std::map<uint32_t, std::vector<uint32_t>>>;

class Painter {
public:
  Painter(const Machine &machine, const MachineGroups &groups) : machine(machine), groups(groups) {}

  /// Places the groups of \p depth as boxes, or all nodes. Returns whether the picture is legible.
  bool place(std::optional<uint32_t> depth) {
    picture = findBoxes(machine, groups, depth);
    if (Circles circles = depth ? Circles() : circlesOf(); !circles.empty())
      placeOnCircle(circles);
    else if (!depth && machine.nodes().size() == machine.numEndpoints() &&
             arrangementOf(machine, groups) == Arrangement::Placed)
      placeAsInReport();
    else
      placeInFrames(picture, machine, groups);
    return picture.width <= mostWidth && picture.height <= mostHeight;
  }

  /// Draws the lines of the placed picture. Returns whether all are clear of other boxes.
  bool drawLines() {
    bool areClear = routeEdges(picture);
    fit();
    return areClear;
  }

  MachinePicture take() { return std::move(picture); }

private:
  void placeAsInReport() {
    MachineLayout layout = layOut(machine);
    Size widest;
    for (const Box &box : picture.boxes)
      if (!box.isHub)
        widest.width = std::max(widest.width, sizeOf(box).width);
    const double scale = widest.width / layout.endpointSide;
    picture.width = layout.width * scale;
    picture.height = layout.height * scale;
    for (uint32_t b = 0; b < picture.boxes.size(); ++b) {
      Box &box = picture.boxes[b];
      Point at = {picture.width / 2, picture.height / 2}; // of a hub
      if (!box.isHub)
        at = {layout.nodes[b].x * scale, layout.nodes[b].y * scale};
      Size size = sizeOf(box);
      size.width = std::max(size.width, box.isHub ? 0 : widest.width);
      box.at = {at.x - size.width / 2, at.y - size.height / 2, size.width, size.height};
    }
    // The lines of the first link between two nodes.
    std::map<std::pair<uint32_t, uint32_t>, size_t> links;
    for (size_t l = 0; l < machine.links().size(); ++l)
      links.try_emplace({machine.links()[l].from.index(), machine.links()[l].to.index()}, l);
    for (MachinePicture::Edge &edge : picture.edges)
      if (auto found = links.find({edge.from, edge.to});
          found != links.end() && !layout.bends[found->second].empty()) {
        edge.points = {picture.boxes[edge.from].at.centre()};
        for (Point at : layout.bends[found->second])
          edge.points.push_back({at.x * scale, at.y * scale});
        edge.points.push_back(picture.boxes[edge.to].at.centre());
      }
  }

  uint32_t outermostGroup(uint32_t node) const {
    uint32_t group = *groups.ofNode[node];
    while (groups.groups[group].parent)
      group = *groups.groups[group].parent;
    return group;
  }

  /// Empty unless all boxes are in groups whose switches have links to each other, as in a
  /// dragonfly.
  Circles circlesOf() const {
    Circles result;
    for (uint32_t b = 0; b < picture.boxes.size(); ++b) {
      const Box &box = picture.boxes[b];
      if (box.isHub || !box.around || box.tier != (box.endpoints > 0 ? 0 : 1))
        return {};
      if (box.tier > 0)
        result[outermostGroup(b)][b];
    }
    std::vector<uint32_t> uplinks(picture.boxes.size());
    bool hasPeers = false;
    for (const MachinePicture::Edge &edge : picture.edges) {
      uint32_t from = picture.boxes[edge.from].tier, to = picture.boxes[edge.to].tier;
      hasPeers |= from > 0 && to > 0;
      if (from == to)
        continue;
      result[outermostGroup(edge.from)][edge.from].push_back(edge.to);
      ++uplinks[edge.to];
    }
    for (uint32_t b = 0; b < picture.boxes.size(); ++b)
      if (picture.boxes[b].tier == 0 && uplinks[b] != 1)
        return {};
    constexpr size_t fewestGroups = 3;
    return hasPeers && result.size() >= fewestGroups ? std::move(result) : Circles();
  }

  /// The radius of a circle on which \p n squares do not overlap.
  static double radiusOf(size_t n, double side) {
    auto isFree = [&](double radius) {
      for (size_t i = 0; i < n; ++i) {
        double a = 2 * std::numbers::pi * double(i) / double(n);
        double b = 2 * std::numbers::pi * double(i + 1) / double(n);
        if (std::abs(std::sin(a) - std::sin(b)) * radius < side &&
            std::abs(std::cos(a) - std::cos(b)) * radius < side)
          return false;
      }
      return true;
    };
    double radius = side / 2;
    while (!isFree(radius))
      radius *= 1.05;
    return radius;
  }

  /// Places the outermost groups on a circle, in each group the switches on a smaller one, and
  /// their endpoints around it.
  void placeOnCircle(const Circles &circles) {
    constexpr double turn = 2 * std::numbers::pi, endpointWidth = 46, border = 32;
    double switchWidth = 0;
    for (Box &box : picture.boxes) {
      Size size = sizeOf(box);
      box.at = {0, 0, size.width, size.height};
      switchWidth = std::max(switchWidth, size.width + 16);
    }
    double inner = 80, outer = 0;
    for (const auto &[_, switches] : circles) {
      size_t most = 0;
      for (const auto &[_, endpoints] : switches)
        most = std::max(most, endpoints.size());
      inner = std::max(inner, double(switches.size()) * switchWidth / turn);
      outer = std::max(outer, double(switches.size() * most) * endpointWidth / turn);
    }
    outer = std::max(outer, inner + 68);
    const double side = 2 * (outer + border), middle = radiusOf(circles.size(), side + 12);
    const double half = middle + side / 2;
    picture.width = picture.height = 2 * half;
    double g = 0;
    for (const auto &[group, switches] : circles) {
      double direction = turn * g++ / double(circles.size()), s = 0.5;
      Point centre = {half + middle * std::sin(direction), half - middle * std::cos(direction)};
      picture.frames.push_back({group, {centre.x - side / 2, centre.y - side / 2, side, side}});
      auto place = [&](uint32_t box, double radius, double angle) {
        auto &at = picture.boxes[box].at;
        at.x = centre.x + radius * std::sin(angle) - at.width / 2;
        at.y = centre.y - radius * std::cos(angle) - at.height / 2;
      };
      for (const auto &[box, endpoints] : switches) {
        double angle = turn * s++ / double(switches.size());
        double e = -double(endpoints.size() - 1) / 2;
        place(box, inner, angle);
        for (uint32_t endpoint : endpoints)
          place(endpoint, outer, angle + e++ * endpointWidth / outer);
      }
    }
  }

  /// Moves the picture so that all lines and boxes are inside.
  void fit() {
    double left = 0, top = 0;
    auto include = [&](double x, double y, double right, double bottom) {
      left = std::min(left, x);
      top = std::min(top, y);
      picture.width = std::max(picture.width, right);
      picture.height = std::max(picture.height, bottom);
    };
    for (const Box &box : picture.boxes)
      include(box.at.x, box.at.y, box.at.right(), box.at.bottom());
    for (const MachinePicture::Edge &edge : picture.edges)
      for (Point at : edge.points)
        include(at.x, at.y, at.x, at.y);
    auto move = [&](auto &at) {
      at.x -= left;
      at.y -= top;
    };
    for (Box &box : picture.boxes)
      move(box.at);
    for (MachinePicture::Frame &frame : picture.frames)
      move(frame.at);
    for (MachinePicture::Edge &edge : picture.edges)
      llvm::for_each(edge.points, move);
    picture.width -= left;
    picture.height -= top;
  }

  const Machine &machine;
  const MachineGroups &groups;
  MachinePicture picture;
};
} // namespace

MachinePicture::Size cclc::sizeOf(const Box &box) {
  constexpr double lineHeight = 12, letterWidth = 5.8, padding = 10, leastWidth = 34;
  size_t letters = std::max(box.name.size(), box.detail.size());
  return {std::max(leastWidth, double(letters) * letterWidth + padding),
          lineHeight * (box.detail.empty() ? 1 : 2) + padding};
}

MachinePicture cclc::drawMachine(const Machine &machine, const MachineGroups &groups,
                                 uint32_t limit) {
  std::vector<uint32_t> numbers; // of groups, by depth
  for (const MachineGroups::Group &group : groups.groups) {
    numbers.resize(std::max<size_t>(numbers.size(), group.depth + 1));
    ++numbers[group.depth];
  }
  std::vector<std::optional<uint32_t>> choices; // from the last one
  for (uint32_t depth = 0; depth < numbers.size() && (depth == 0 || numbers[depth] <= mostGroups);
       ++depth)
    choices.emplace_back(depth);
  if (machine.nodes().size() <= limit || choices.empty())
    choices.emplace_back();
  Painter painter(machine, groups);
  while (true) {
    const bool isLegible = painter.place(choices.back()), isLast = choices.size() == 1;
    if ((isLegible || isLast) && (painter.drawLines() || isLast))
      return painter.take();
    choices.pop_back();
  }
}

std::optional<MachineLayout> cclc::layOutTiers(const Machine &machine,
                                               const MachineGroups &groups) {
  constexpr uint32_t mostEndpoints = 64;
  constexpr double mostWidthInReport = 1400;
  if (machine.numEndpoints() > mostEndpoints || machine.nodes().size() > 2 * mostEndpoints)
    return std::nullopt;
  Painter painter(machine, groups);
  painter.place({});
  if (!painter.drawLines())
    return std::nullopt;
  MachinePicture picture = painter.take();
  if (picture.width > mostWidthInReport ||
      llvm::any_of(picture.boxes, [](const Box &box) { return box.isHub; }))
    return std::nullopt;
  MachineLayout layout;
  layout.width = picture.width;
  layout.height = picture.height;
  layout.endpointSide = 0;
  for (const Box &box : picture.boxes) {
    layout.nodes.push_back(box.at.centre());
    layout.sizes.push_back({box.at.width, box.at.height});
  }
  for (const auto &[group, at] : picture.frames)
    layout.boxes.push_back({groups.groups[group].name, at.x, at.y, at.width, at.height, group});
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Point>> lines;
  for (MachinePicture::Edge &edge : picture.edges) {
    std::vector<Point> back(edge.points.rbegin(), edge.points.rend());
    lines[{edge.to, edge.from}] = std::move(back);
    lines[{edge.from, edge.to}] = std::move(edge.points);
  }
  for (const Link &link : machine.links())
    layout.bends.push_back(lines.at({link.from.index(), link.to.index()}));
  return layout;
}
