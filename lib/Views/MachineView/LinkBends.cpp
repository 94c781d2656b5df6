//===- LinkBends.cpp - Routing of links around nodes ----------------------===//
//
// A greedy algorithm, the shortest lines first. Lines that are already clear are placed before the
// others, which are bent: two corners at increasing distance from the straight line, on alternating
// sides, until the line hits no node and does not overlap another line; if there is no such
// position, it stays straight.
//
// Nodes are found in a uniform grid and tested by clipping the segment to a square one axis at a
// time (Liang and Barsky, ACM TOG 3, 1984). Overlapping lines are found by angle and distance from
// the origin, the normal form of the Hough transform (Duda and Hart, CACM 15, 1972).
//
//===----------------------------------------------------------------------===//

#include "LinkBends.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

using namespace cclc;

namespace {
using Point = MachineLayout::Point;
using Line = std::vector<Point>;

/// The minimum distance between a line and the border of a node, since directions are drawn beside
/// their line.
constexpr double clearance = MachineLayout::directionOffset + 0.03;
/// The distance between parallel lines, each of which has two directions.
constexpr double laneWidth = 3 * MachineLayout::directionOffset;
/// The maximum distance of a bend from the straight line.
constexpr double furthest = 30;
/// Parallel lines that overlap by less than this are distinguishable.
constexpr double shortOverlap = 0.2;

Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
Point operator*(Point a, double s) { return {a.x * s, a.y * s}; }
double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
double cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }
double length(Point a) { return std::hypot(a.x, a.y); }
Point unit(Point a) { return a * (1 / length(a)); }

/// A node in the drawing, with the clearance around it.
struct Obstacle {
  Point centre;
  double half;

  /// Clips the segment to the square, axis by axis.
  bool isHitBy(Point from, Point to) const {
    double begin = 0, end = 1;
    auto clip = [&](double start, double step, double middle) {
      double low = middle - half - start, high = middle + half - start;
      if (std::abs(step) < 1e-12)
        return low < 0 && high > 0;
      auto [first, last] = std::minmax({low / step, high / step});
      begin = std::max(begin, first);
      end = std::min(end, last);
      return begin < end;
    };
    return clip(from.x, to.x - from.x, centre.x) && clip(from.y, to.y - from.y, centre.y);
  }
};

/// The nodes of a drawing by grid square, so that a segment is compared only with nearby ones.
class Obstacles {
public:
  Obstacles(const Machine &machine, const MachineLayout &layout) {
    std::vector<double> half(layout.nodes.size(), MachineLayout::pointSide / 2);
    for (uint32_t e = 0; e < machine.numEndpoints(); ++e)
      half[machine.endpointNode(EndpointId(e)).index()] = layout.endpointSide / 2;
    // Parts at the same position are one obstacle, with the size of the largest.
    std::map<std::pair<double, double>, double> places;
    for (size_t n = 0; n < half.size(); ++n) {
      double &largest = places[{layout.nodes[n].x, layout.nodes[n].y}];
      largest = std::max(largest, half[n]);
    }
    side = std::max(2.0, std::sqrt(layout.width * layout.height / double(places.size())));
    for (const auto &[at, largest] : places)
      cells[{cell(at.first), cell(at.second)}].push_back(
          {{at.first, at.second}, largest + clearance});
  }

  /// Whether the segment hits a node other than those at \p a and \p b.
  bool isHit(Point from, Point to, Point a, Point b) const {
    auto [left, right] = std::minmax(from.x, to.x);
    for (int64_t x = cell(left - 1); x <= cell(right + 1); ++x) {
      // The part of the segment within this column of squares.
      double first = std::clamp(double(x) * side - 1, left, right);
      double last = std::clamp(double(x + 1) * side + 1, left, right);
      double slope = right - left < 1e-9 ? 0 : (to.y - from.y) / (to.x - from.x);
      double y0 = slope == 0 ? from.y : from.y + (first - from.x) * slope;
      double y1 = slope == 0 ? to.y : from.y + (last - from.x) * slope;
      for (int64_t y = cell(std::min(y0, y1) - 1); y <= cell(std::max(y0, y1) + 1); ++y) {
        auto found = cells.find({x, y});
        if (found != cells.end() &&
            std::any_of(found->second.begin(), found->second.end(), [&](const Obstacle &node) {
              return length(node.centre - a) > 1e-9 && length(node.centre - b) > 1e-9 &&
                     node.isHitBy(from, to);
            }))
          return true;
      }
    }
    return false;
  }

private:
  int64_t cell(double x) const { return int64_t(std::floor(x / side)); }
  double side;
  std::map<std::pair<int64_t, int64_t>, std::vector<Obstacle>> cells;
};

/// The drawn segments by direction and distance from the origin, which are nearly equal for
/// segments that overlap.
class Segments {
public:
  void add(Point from, Point to) { lines[keyOf(from, to)].push_back({from, to}); }

  bool runsAlong(Point from, Point to) const {
    auto [angle, distance] = keyOf(from, to);
    for (int64_t near : {distance - 1, distance, distance + 1})
      if (auto found = lines.find({angle, near}); found != lines.end())
        for (auto [a, b] : found->second)
          if (overlap(from, to, a, b))
            return true;
    return false;
  }

private:
  static constexpr int64_t angles = 3000;

  static std::pair<int64_t, int64_t> keyOf(Point from, Point to) {
    Point along = unit(to - from);
    double angle = std::atan2(along.y, along.x) / std::numbers::pi;
    if (angle < 0)
      angle += 1;
    int64_t key = std::llround(angle * angles);
    if (key == angles) // along the x axis
      key = 0;
    Point exact = {std::cos(std::numbers::pi * key / angles),
                   std::sin(std::numbers::pi * key / angles)};
    return {key, int64_t(std::floor(cross(exact, from) / laneWidth))};
  }

  static bool overlap(Point from, Point to, Point a, Point b) {
    Point along = unit(to - from);
    if (std::abs(cross(along, unit(b - a))) > std::numbers::pi / angles)
      return false;
    auto [first, last] = std::minmax({dot(along, a - from), dot(along, b - from)});
    double begin = std::max(first, 0.0), end = std::min(last, length(to - from));
    return end - begin > shortOverlap &&
           std::abs(cross(along, (a + b) * 0.5 - from)) < laneWidth - 1e-6;
  }

  std::map<std::pair<int64_t, int64_t>, std::vector<std::pair<Point, Point>>> lines;
};

class Bender {
public:
  Bender(const Machine &machine, MachineLayout &layout)
      : machine(machine), layout(layout), obstacles(machine, layout) {
    collect();
  }

  void run() {
    std::vector<const Wire *> unclear;
    for (const Wire &wire : wires) {
      Line line = lineOf(wire);
      if (line.size() > 2 || isClear(line))
        keep(line);
      else
        unclear.push_back(&wire);
    }
    for (const Wire *wire : unclear)
      bend(*wire);
  }

private:
  /// The links that a line represents: both directions between two nodes, and other links between
  /// the same positions.
  struct Wire {
    Point from, to;
    std::vector<size_t> links;
    double length() const { return ::length(to - from); }
  };

  /// Groups links into wires. A second link between the same nodes in the same direction is a
  /// separate wire.
  void collect() {
    std::map<std::tuple<uint32_t, uint32_t>, uint32_t> copies;
    std::map<std::tuple<double, double, double, double, uint32_t>, Wire> byPlaces;
    for (size_t l = 0; l < machine.links().size(); ++l) {
      const Link &link = machine.links()[l];
      Point from = layout.nodes[link.from.index()], to = layout.nodes[link.to.index()];
      if (from.x == to.x && from.y == to.y)
        continue;
      uint32_t copy = copies[{link.from.index(), link.to.index()}]++;
      if (std::tie(to.x, to.y) < std::tie(from.x, from.y))
        std::swap(from, to);
      Wire &wire = byPlaces[{from.x, from.y, to.x, to.y, copy}];
      wire.from = from;
      wire.to = to;
      wire.links.push_back(l);
    }
    for (auto &[places, wire] : byPlaces)
      wires.push_back(std::move(wire));
    llvm::sort(wires, [](const Wire &a, const Wire &b) {
      // Compare rounded lengths, so that rounding errors do not affect the order.
      return std::make_pair(std::llround(a.length() * 1e6), a.links.front()) <
             std::make_pair(std::llround(b.length() * 1e6), b.links.front());
    });
  }

  bool goesBack(const Wire &wire, size_t link) const {
    Point from = layout.nodes[machine.links()[link].from.index()];
    return from.x != wire.from.x || from.y != wire.from.y;
  }

  Line lineOf(const Wire &wire) const {
    Line line = layout.bends[wire.links.front()];
    if (goesBack(wire, wire.links.front()))
      std::reverse(line.begin(), line.end());
    line.insert(line.begin(), wire.from);
    line.push_back(wire.to);
    return line;
  }

  bool isClear(const Line &line) const {
    for (size_t i = 0; i + 1 < line.size(); ++i)
      if (obstacles.isHit(line[i], line[i + 1], line.front(), line.back()) ||
          drawn.runsAlong(line[i], line[i + 1]))
        return false;
    return true;
  }

  void keep(const Line &line) {
    for (size_t i = 0; i + 1 < line.size(); ++i)
      drawn.add(line[i], line[i + 1]);
  }

  /// Tries bends at increasing distances from the straight line, first on the side closer to the
  /// border of the drawing.
  void bend(const Wire &wire) {
    Point along = unit(wire.to - wire.from), across{-along.y, along.x};
    Point middle = (wire.from + wire.to) * 0.5, centre{layout.width / 2, layout.height / 2};
    // A line through the centre is bent to the top or to the left.
    if (double side = dot(across, middle - centre); side < -1e-6 || (side < 1e-6 && along.x > 0.5))
      across = across * -1;
    double step = laneWidth / 2, most = std::min(std::max(layout.width, layout.height), furthest);
    for (double away = 2 * step; away < most; away += step)
      for (double side : {1.0, -1.0}) {
        double shoulder = std::min(away, wire.length() / 3);
        Point out = across * (side * away);
        Line line = {wire.from, wire.from + along * shoulder + out,
                     wire.to - along * shoulder + out, wire.to};
        if (isClear(line))
          return take(wire, line);
      }
    keep({wire.from, wire.to});
  }

  void take(const Wire &wire, const Line &line) {
    keep(line);
    for (size_t link : wire.links) {
      Line &bends = layout.bends[link];
      bends.assign(line.begin() + 1, line.end() - 1);
      if (goesBack(wire, link))
        std::reverse(bends.begin(), bends.end());
    }
  }

  const Machine &machine;
  MachineLayout &layout;
  Obstacles obstacles;
  std::vector<Wire> wires;
  Segments drawn;
};
} // namespace

void cclc::bendLinks(const Machine &machine, MachineLayout &layout) {
  Bender(machine, layout).run();
}
