//===- Snake.cpp - A path through the places of a machine -----------------===//
//
// Hamiltonian cycles of grids by construction, in linear time: with an even side, one row or column
// closes a boustrophedon through the rest; a torus with two odd sides is traversed in closed lines,
// each of which starts one position further. A grid without such a cycle is traversed row by row.
// The order of a geometry is the product of the orders of its levels, outermost first.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/Placement/RankPlacement.h"

using namespace cclc;

namespace {
/// A path through the members of one grid.
class GridPath {
public:
  explicit GridPath(const GridLevel &level) : w(level.width), h(level.height) {
    bool square = w >= 2 && h >= 2;
    bool even = square && (w % 2 == 0 || h % 2 == 0);
    if (level.kind == GridKind::Flat || level.kind == GridKind::Ring1D || !square)
      inOrder();
    else if (even)
      cycle();
    else if (level.kind == GridKind::Torus2D)
      oddTorus();
    else
      rowByRow();
  }
  std::vector<uint32_t> path;

private:
  void visit(uint32_t x, uint32_t y) { path.push_back(y * w + x); }

  void inOrder() {
    for (uint32_t member = 0; member < w * h; ++member)
      path.push_back(member);
  }

  void rowByRow() {
    for (uint32_t y = 0; y < h; ++y)
      for (uint32_t i = 0; i < w; ++i)
        visit(y % 2 ? w - 1 - i : i, y);
  }

  /// From (0, 0) to (1, 0), its neighbour.
  void cycle() {
    if (w % 2 == 0) {
      // Down and up the columns without the first row, which closes the cycle.
      visit(0, 0);
      for (uint32_t x = 0; x < w; ++x)
        for (uint32_t i = 1; i < h; ++i)
          visit(x, x % 2 ? h - i : i);
      for (uint32_t x = w - 1; x > 0; --x)
        visit(x, 0);
      return;
    }
    // Down the first column and back through the rows without it, the last one first.
    for (uint32_t y = 0; y < h; ++y)
      visit(0, y);
    for (uint32_t i = 0; i < h; ++i)
      for (uint32_t x = 1; x < w; ++x)
        visit(i % 2 ? w - x : x, h - 1 - i);
  }

  /// Both sides are odd. Traverses the closed lines along the shorter side one after the other. The
  /// start of each line is one position before or after that of the last; the numbers of both kinds
  /// differ by one full turn, so that the path closes.
  void oddTorus() {
    uint32_t around = std::min(w, h), lines = std::max(w, h);
    uint32_t backwards = (lines - around) / 2;
    uint32_t at = 0;
    for (uint32_t line = 0; line < lines; ++line) {
      bool back = line < backwards;
      for (uint32_t i = 0; i < around; ++i) {
        uint32_t place = (at + (back ? around - i : i)) % around;
        w <= h ? visit(place, line) : visit(line, place);
      }
      at = (at + (back ? 1 : around - 1)) % around;
    }
  }

  uint32_t w, h;
};
} // namespace

std::vector<uint32_t> cclc::snakeOrder(const Geometry &geometry) {
  std::vector<uint32_t> order = {0};
  for (const GridLevel &level : geometry.levels) {
    std::vector<uint32_t> members = GridPath(level).path, finer;
    finer.reserve(order.size() * members.size());
    for (uint32_t outer : order)
      for (uint32_t member : members)
        finer.push_back(outer * level.size() + member);
    order = std::move(finer);
  }
  return order;
}
