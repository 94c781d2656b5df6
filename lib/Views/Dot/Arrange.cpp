//===- Arrange.cpp - Grids and circles, level by level --------------------===//
//
// Levels are arranged from the innermost outwards: the members of a level are boxes of the size of
// all inner levels. A mesh or torus becomes its grid, any other level of 4 to 64 members a circle,
// a smaller one a row, and a larger one a square grid, so that nodes remain legible.
//
//===----------------------------------------------------------------------===//

#include "Arrange.h"

#include <cmath>

using namespace cclc;

namespace {
/// One level: the positions of its members, each of size \c member, and the extent of the level.
struct Layout {
  std::vector<DotPoint> places;
  DotPoint extent;
};
} // namespace

static Layout grid(uint32_t width, uint32_t height, DotPoint member) {
  Layout layout{{}, {member.x * width, member.y * height}};
  for (int64_t row = 0; row < height; ++row)
    for (int64_t column = 0; column < width; ++column)
      layout.places.push_back({column * member.x, -row * member.y});
  return layout;
}

static Layout circle(uint32_t members, DotPoint member) {
  constexpr double fullTurn = 6.283185307179586;
  double radius = double(std::max(member.x, member.y)) * members / fullTurn;
  Layout layout;
  for (uint32_t i = 0; i < members; ++i) {
    double turn = fullTurn * i / members;
    layout.places.push_back(
        {std::llround(radius * std::sin(turn)), std::llround(radius * std::cos(turn))});
  }
  int64_t diameter = 2 * std::llround(radius);
  layout.extent = {diameter + member.x, diameter + member.y};
  return layout;
}

static Layout layoutOf(const GridLevel &level, DotPoint member) {
  constexpr uint32_t fewest = 4, most = 64; // members of a legible circle
  uint32_t size = level.size();
  bool isGrid = level.kind == GridKind::Torus2D || level.kind == GridKind::Mesh2DNoWrap;
  if (isGrid || size < fewest)
    return grid(isGrid ? level.width : size, isGrid ? level.height : 1, member);
  if (size <= most)
    return circle(size, member);
  uint32_t side = std::ceil(std::sqrt(double(size)));
  return grid(side, (size + side - 1) / side, member);
}

std::vector<DotPoint> cclc::arrange(ArrayRef<GridLevel> levels, DotPoint node) {
  std::vector<DotPoint> points = {{0, 0}};
  DotPoint extent = node;
  for (size_t level = levels.size(); level-- > 0;) {
    Layout layout = layoutOf(levels[level], extent);
    std::vector<DotPoint> all;
    for (uint32_t member = 0; member < levels[level].size(); ++member)
      for (DotPoint inner : points)
        all.push_back({layout.places[member].x + inner.x, layout.places[member].y + inner.y});
    points = std::move(all);
    // The distance between members of different groups is larger than within a group.
    extent = {layout.extent.x + node.x / 2, layout.extent.y + node.y / 2};
  }
  return points;
}

std::vector<DotPoint> cclc::arrangeTable(uint32_t columns, uint32_t rows, DotPoint node) {
  return grid(columns, rows, node).places;
}
