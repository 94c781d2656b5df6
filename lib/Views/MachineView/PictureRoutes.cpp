//===- PictureRoutes.cpp - Lines between boxes ----------------------------===//
//
// A line is straight if it passes no box. Lines between members of one row are arcs below it. All
// others run along the gaps between boxes: shortest paths in a grid of horizontal and vertical
// lines (Lee, IRE Trans. Electronic Computers 1961), found by A*, with a cost for each corner and
// for each piece that lines of other switches have taken. Lines of one switch, a net, share their
// way; if one of them needs gaps, so do all.
//
// Grid lines are the centres of boxes, the lines beside them, and lanes in strips between boxes
// that cross the whole picture.
//
//===----------------------------------------------------------------------===//

#include "MachinePicture.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <queue>
#include <set>

using namespace cclc;

namespace {
using Point = MachinePicture::Point;
using Rect = MachinePicture::Rect;
using Edge = MachinePicture::Edge;

constexpr double boxClearance = 2; ///< between a line and a box
constexpr unsigned mostInStrip = 12, lanesOfFrame = 10;
constexpr double cornerCost = 16;
/// The cost of a piece that the same net or another one has taken, and of one in a frame around
/// neither end.
constexpr double sharedFactor = 0.6, takenFactor = 4, foreignFactor = 6;
constexpr uint32_t none = ~0u;

/// Whether the segment passes a box, clipped to it axis by axis (Liang and Barsky, ACM TOG 1984).
bool passes(Point from, Point to, const Rect &box) {
  double begin = 0, end = 1;
  auto clip = [&](double start, double step, double low, double high) {
    if (std::abs(step) < 1e-9)
      return low < start && start < high;
    auto [first, last] = std::minmax({(low - start) / step, (high - start) / step});
    begin = std::max(begin, first);
    end = std::min(end, last);
    return begin < end;
  };
  return clip(from.x, to.x - from.x, box.x - boxClearance, box.right() + boxClearance) &&
         clip(from.y, to.y - from.y, box.y - boxClearance, box.bottom() + boxClearance);
}

/// The first and the last coordinate of a box or frame on one axis.
using Interval = std::pair<double, double>;

/// The lines of one axis, sorted.
std::vector<double> gridLines(std::vector<Interval> boxes, ArrayRef<Interval> frames, double size) {
  // The lines of boxes are needed; lanes are between them, at the distance of parallel lines.
  std::set<double> lines;
  auto add = [&](double line, double distance) {
    auto next = lines.lower_bound(line);
    if ((next == lines.end() || *next - line >= distance) &&
        (next == lines.begin() || line - *std::prev(next) >= distance))
      lines.insert(next, line);
  };
  constexpr double lane = MachinePicture::laneWidth;
  for (auto [low, high] : boxes)
    for (double line : {(low + high) / 2, low - lane, high + lane})
      add(line, 1);
  for (auto [low, high] : frames)
    for (unsigned i = 1; i <= lanesOfFrame; ++i) {
      add(low - i * lane, lane - 1);
      add(high + i * lane, lane - 1);
    }
  llvm::sort(boxes);
  constexpr double border = mostInStrip * lane;
  double end = -border;
  auto addStrip = [&](double low, double high) {
    double room = std::min(std::floor((high - low) / lane) - 1, double(mostInStrip));
    for (double i = 1; i <= room; ++i)
      add((low + high) / 2 + (i - (1 + room) / 2) * lane, lane - 1);
  };
  for (auto [low, high] : boxes) {
    if (low > end)
      addStrip(end, low);
    end = std::max(end, high);
  }
  addStrip(end, size + border);
  return {lines.begin(), lines.end()};
}

/// The grid of lines, with the box that covers each crossing, and the net that takes each piece.
class Maze {
public:
  explicit Maze(const MachinePicture &picture) : boxes(picture.boxes), frames(picture.frames) {
    std::vector<Interval> across, down, framesAcross, framesDown;
    for (const MachinePicture::Frame &frame : frames) {
      framesAcross.emplace_back(frame.at.x, frame.at.right());
      framesDown.emplace_back(frame.at.y, frame.at.bottom());
    }
    for (const MachinePicture::Box &box : boxes) {
      across.emplace_back(box.at.x, box.at.right());
      down.emplace_back(box.at.y, box.at.bottom());
    }
    xs = gridLines(std::move(across), framesAcross, picture.width);
    ys = gridLines(std::move(down), framesDown, picture.height);
    owner.assign(xs.size() * ys.size(), none);
    taken[0] = taken[1] = frame = owner;
    for (uint32_t f = 0; f < picture.frames.size(); ++f)
      visit(picture.frames[f].at, [&](uint32_t crossing) { frame[crossing] = f; });
    for (uint32_t b = 0; b < boxes.size(); ++b)
      visit(boxes[b].at, [&](uint32_t crossing) { owner[crossing] = b; });
  }

  /// The corners of a path of \p net from box \p from to box \p to; empty if there is none.
  std::vector<Point> route(uint32_t from, uint32_t to, uint32_t net);

private:
  struct State {
    double estimate, cost;
    uint32_t at; ///< crossing and direction: 0 horizontal, 1 vertical
    bool operator<(const State &other) const {
      return std::tie(estimate, at) > std::tie(other.estimate, other.at);
    }
  };

  static size_t first(const std::vector<double> &lines, double low) {
    return size_t(llvm::upper_bound(lines, low) - lines.begin());
  }
  /// Visits the crossings in \p rect and closer to it than lines may be.
  template <class Fn> void visit(const Rect &rect, Fn visit) const {
    for (size_t k = first(ys, rect.y - boxClearance);
         k < ys.size() && ys[k] < rect.bottom() + boxClearance; ++k)
      for (size_t i = first(xs, rect.x - boxClearance);
           i < xs.size() && xs[i] < rect.right() + boxClearance; ++i)
        visit(uint32_t(k * xs.size() + i));
  }
  Point pointOf(uint32_t crossing) const {
    return {xs[crossing % xs.size()], ys[crossing / xs.size()]};
  }
  bool isIn(uint32_t crossing, uint32_t box) const {
    Point at = pointOf(crossing);
    const Rect &rect = boxes[box].at;
    return at.x > rect.x + 1 && at.x < rect.right() - 1 && at.y > rect.y + 1 &&
           at.y < rect.bottom() - 1;
  }
  double distanceTo(uint32_t crossing, const Rect &box) const {
    Point at = pointOf(crossing);
    double x = std::max({0.0, box.x - at.x, at.x - box.right()});
    double y = std::max({0.0, box.y - at.y, at.y - box.bottom()});
    return (x + y) * sharedFactor;
  }
  void begin(uint32_t from, uint32_t to);
  template <class Fn>
  void expand(const State &state, uint32_t from, uint32_t to, uint32_t net, Fn visit) const;
  std::vector<Point> trace(uint32_t state, uint32_t net);

  const std::vector<MachinePicture::Box> &boxes;
  const std::vector<MachinePicture::Frame> &frames;
  std::vector<double> xs, ys;
  std::vector<uint32_t> owner;    ///< by crossing
  std::vector<uint32_t> taken[2]; ///< by crossing: of the piece to the right, and downwards
  std::vector<uint32_t> frame;    ///< by crossing: the innermost
  std::vector<bool> isForeign;    ///< by frame: around neither end of the line
  std::vector<double> best;       ///< by state
  std::vector<uint32_t> previous; ///< by state
};

void Maze::begin(uint32_t from, uint32_t to) {
  best.assign(owner.size() * 2, INFINITY);
  previous.assign(owner.size() * 2, none);
  isForeign.assign(frames.size(), true);
  auto contains = [](const Rect &rect, Point at) {
    return at.x > rect.x && at.x < rect.right() && at.y > rect.y && at.y < rect.bottom();
  };
  for (uint32_t f = 0; f < frames.size(); ++f)
    isForeign[f] = !contains(frames[f].at, boxes[from].at.centre()) &&
                   !contains(frames[f].at, boxes[to].at.centre());
}

/// Calls \p visit with each neighbouring state and its cost.
template <class Fn>
void Maze::expand(const State &state, uint32_t from, uint32_t to, uint32_t net, Fn visit) const {
  uint32_t crossing = state.at / 2, width = uint32_t(xs.size());
  uint32_t x = crossing % width, y = crossing / width;
  auto step = [&](bool exists, uint32_t next, uint32_t piece, uint32_t direction) {
    if (!exists || (owner[next] != none && owner[next] != from && owner[next] != to))
      return;
    Point a = pointOf(crossing), b = pointOf(next);
    uint32_t other = taken[direction][piece];
    double factor = other == none ? 1 : other == net ? sharedFactor : takenFactor;
    if (frame[next] != none && isForeign[frame[next]])
      factor *= foreignFactor;
    double cost = (std::abs(a.x - b.x) + std::abs(a.y - b.y)) * factor;
    visit(next * 2 + direction, state.cost + cost + (direction == state.at % 2 ? 0 : cornerCost));
  };
  step(x + 1 < width, crossing + 1, crossing, 0);
  step(x > 0, crossing - 1, crossing - 1, 0);
  step(y + 1 < ys.size(), crossing + width, crossing, 1);
  step(y > 0, crossing - width, crossing - width, 1);
}

std::vector<Point> Maze::trace(uint32_t state, uint32_t net) {
  std::vector<Point> line;
  for (uint32_t at = state; at != none; at = previous[at]) {
    Point point = pointOf(at / 2);
    if (line.size() > 1) {
      Point a = line[line.size() - 2], &b = line.back();
      if ((a.x == b.x && b.x == point.x) || (a.y == b.y && b.y == point.y))
        line.pop_back();
    }
    line.push_back(point);
    if (uint32_t before = previous[at]; before != none && before / 2 != at / 2)
      taken[at % 2][std::min(before / 2, at / 2)] = net;
  }
  std::reverse(line.begin(), line.end());
  return line;
}

std::vector<Point> Maze::route(uint32_t from, uint32_t to, uint32_t net) {
  begin(from, to);
  std::priority_queue<State> queue;
  const Rect &source = boxes[from].at, &target = boxes[to].at;
  auto push = [&](uint32_t at, double cost, uint32_t before) {
    if (cost >= best[at])
      return;
    best[at] = cost;
    previous[at] = before;
    queue.push({cost + distanceTo(at / 2, target), cost, at});
  };
  for (size_t k = first(ys, source.y); k < ys.size() && ys[k] < source.bottom(); ++k)
    for (size_t i = first(xs, source.x); i < xs.size() && xs[i] < source.right(); ++i)
      if (auto crossing = uint32_t(k * xs.size() + i); isIn(crossing, from)) {
        push(crossing * 2, 0, none);
        push(crossing * 2 + 1, 0, none);
      }
  while (!queue.empty()) {
    State state = queue.top();
    queue.pop();
    if (state.cost > best[state.at])
      continue;
    if (isIn(state.at / 2, to))
      return trace(state.at, net);
    expand(state, from, to, net, [&](uint32_t at, double cost) { push(at, cost, state.at); });
  }
  return {};
}

// --- Straight lines and arcs ---------------------------------------------------------------

class Router {
public:
  explicit Router(MachinePicture &picture) : picture(picture) {}

  bool run() {
    std::map<uint32_t, bool> isBlocked; // by net
    for (Edge &edge : picture.edges) {
      if (!edge.points.empty() && isClear(edge, edge.points))
        continue;
      edge.points = straight(edge);
      if (!isClear(edge, edge.points) && tryArc(edge))
        continue;
      bool blocked = !isClear(edge, edge.points);
      if (hasNet(edge))
        isBlocked[edge.from] |= blocked;
      if (blocked)
        edge.points.clear();
    }
    std::vector<uint32_t> open;
    for (uint32_t e = 0; e < picture.edges.size(); ++e)
      if (Edge &edge = picture.edges[e];
          edge.points.empty() || (hasNet(edge) && isBlocked[edge.from]))
        open.push_back(e);
    const bool areClear = routeAll(open);
    for (Edge &edge : picture.edges)
      cut(edge);
    return areClear;
  }

private:
  const Rect &rect(uint32_t box) const { return picture.boxes[box].at; }

  /// Edges to lower tiers are those of their switch.
  bool hasNet(const Edge &edge) const {
    const MachinePicture::Box &from = picture.boxes[edge.from], &to = picture.boxes[edge.to];
    return from.tier > to.tier || from.isHub || to.isHub;
  }

  bool isClear(const Edge &edge, ArrayRef<Point> line) const {
    for (uint32_t b = 0; b < picture.boxes.size(); ++b)
      if (b != edge.from && b != edge.to)
        for (size_t i = 0; i + 1 < line.size(); ++i)
          if (passes(line[i], line[i + 1], rect(b)))
            return false;
    return true;
  }

  /// From border to border, vertical if one box is above the other, else horizontal if one is
  /// beside the other.
  std::vector<Point> straight(const Edge &edge) const {
    const Rect &a = rect(edge.from), &b = rect(edge.to);
    auto facing = [](double low, double size, double otherLow, double otherSize) {
      constexpr double space = 5;
      double first = std::max(low, otherLow) + space;
      double last = std::min(low + size, otherLow + otherSize) - space;
      double middle = size < otherSize ? low + size / 2 : otherLow + otherSize / 2;
      if (first <= last)
        return std::pair(std::clamp(middle, first, last), std::clamp(middle, first, last));
      // From the near part of a wide box.
      auto end = [](double low, double size, double other, double otherSize) {
        double middle = low + size / 2;
        return size > 3 * otherSize
                   ? std::clamp(other + otherSize / 2, low + space, low + size - space)
                   : middle;
      };
      return std::pair(end(low, size, otherLow, otherSize), end(otherLow, otherSize, low, size));
    };
    if (a.bottom() <= b.y || b.bottom() <= a.y) {
      auto [from, to] = facing(a.x, a.width, b.x, b.width);
      bool isAbove = a.bottom() <= b.y;
      return {{from, isAbove ? a.bottom() : a.y}, {to, isAbove ? b.y : b.bottom()}};
    }
    auto [from, to] = facing(a.y, a.height, b.y, b.height);
    bool isLeft = a.right() <= b.x;
    return {{isLeft ? a.right() : a.x, from}, {isLeft ? b.x : b.right(), to}};
  }

  /// Half an ellipse below a row.
  bool tryArc(Edge &edge) const {
    constexpr double height = 0.2;
    constexpr size_t parts = 16;
    Point a = rect(edge.from).centre(), b = rect(edge.to).centre();
    if (picture.boxes[edge.from].tier > 0 || picture.boxes[edge.to].tier > 0 ||
        std::abs(a.y - b.y) > 1)
      return false;
    double base = std::max(rect(edge.from).bottom(), rect(edge.to).bottom());
    std::vector<Point> line;
    for (size_t i = 0; i <= parts; ++i) {
      double angle = std::numbers::pi * double(i) / parts;
      line.push_back({(a.x + b.x) / 2 - std::cos(angle) * (b.x - a.x) / 2,
                      base + std::sin(angle) * height * std::abs(b.x - a.x)});
    }
    if (line[parts / 2].y > picture.height || !isClear(edge, line))
      return false;
    edge.points = std::move(line);
    return true;
  }

  /// Short lines first, net by net. Too many lines stay straight.
  bool routeAll(std::vector<uint32_t> &open) {
    // More lines are a grey area, and the search for gaps takes seconds.
    constexpr size_t mostInGaps = 600;
    for (uint32_t e : open)
      picture.edges[e].points = straight(picture.edges[e]);
    if (open.empty() || open.size() > mostInGaps)
      return open.empty();
    auto key = [&](uint32_t e) {
      const Edge &edge = picture.edges[e];
      Point a = rect(edge.from).centre(), b = rect(edge.to).centre();
      return std::tuple(hasNet(edge) ? edge.from : none,
                        std::llround(std::abs(a.x - b.x) + std::abs(a.y - b.y)), e);
    };
    llvm::sort(open, [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    Maze maze(picture);
    for (uint32_t e : open) {
      Edge &edge = picture.edges[e];
      uint32_t net = hasNet(edge) ? edge.from : uint32_t(picture.boxes.size()) + e;
      std::vector<Point> line = maze.route(edge.from, edge.to, net);
      if (line.size() > 1)
        edge.points = std::move(line);
    }
    return true;
  }

  /// Removes the parts of a line inside its own boxes.
  void cut(Edge &edge) const {
    auto cutStart = [](std::vector<Point> &line, const Rect &box) {
      auto isIn = [&](Point at) {
        return at.x >= box.x && at.x <= box.right() && at.y >= box.y && at.y <= box.bottom();
      };
      while (line.size() > 2 && isIn(line[1]))
        line.erase(line.begin());
      Point &a = line[0], b = line[1];
      if (!isIn(a) || isIn(b))
        return;
      // The largest part of the segment that is inside.
      double part = 1;
      if (b.x != a.x)
        part = std::min(part, ((b.x > a.x ? box.right() : box.x) - a.x) / (b.x - a.x));
      if (b.y != a.y)
        part = std::min(part, ((b.y > a.y ? box.bottom() : box.y) - a.y) / (b.y - a.y));
      a = {a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part};
    };
    if (edge.points.size() < 2)
      return;
    cutStart(edge.points, rect(edge.from));
    std::reverse(edge.points.begin(), edge.points.end());
    cutStart(edge.points, rect(edge.to));
    std::reverse(edge.points.begin(), edge.points.end());
  }

  MachinePicture &picture;
};
} // namespace

bool cclc::routeEdges(MachinePicture &picture) { return Router(picture).run(); }
