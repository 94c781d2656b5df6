//===- AhbmSips.cpp - The grid of SIPs ------------------------------------===//
//
// SIPs form a ring, a torus or a mesh, in which they have neighbours in the directions that
// KernBench calls global_N, global_S, global_E and global_W. Where direct links connect them,
// messages to other SIPs are forwarded by those between, with dimension-order routing (Dally and
// Seitz, IEEE Trans. Computers 36(5), 1987).
//
//===----------------------------------------------------------------------===//

#include "AhbmLayout.h"

using namespace cclc;
using namespace cclc::ahbm;

namespace {
/// One dimension of the grid.
struct Line {
  uint32_t size;
  bool wraps;

  /// The coordinate after \p from on the way to \p to.
  uint32_t step(uint32_t from, uint32_t to) const {
    uint32_t above = (to + size - from) % size;
    bool goUp = wraps ? above <= size - above : to > from;
    return goUp ? (from + 1) % size : (from + size - 1) % size;
  }
  /// Whether a link leads from \p at upwards. Two members are connected by one link, not two.
  bool leadsUp(uint32_t at) const { return at + 1 < size || (wraps && size > 2); }
};

Line row(const GridLevel &grid) { return {grid.width, grid.kind != GridKind::Mesh2DNoWrap}; }
Line column(const GridLevel &grid) { return {grid.height, grid.kind != GridKind::Mesh2DNoWrap}; }
} // namespace

std::vector<uint32_t> SipLinks::path(uint32_t from, uint32_t to) const {
  std::vector<uint32_t> sips;
  uint32_t x = from % grid.width, y = from / grid.width;
  while (x != to % grid.width) {
    x = row(grid).step(x, to % grid.width);
    sips.push_back(y * grid.width + x);
  }
  while (y != to / grid.width) {
    y = column(grid).step(y, to / grid.width);
    sips.push_back(y * grid.width + x);
  }
  return sips;
}

std::vector<uint32_t> SipLinks::next(uint32_t sip) const {
  std::vector<uint32_t> sips;
  uint32_t x = sip % grid.width, y = sip / grid.width;
  if (row(grid).leadsUp(x))
    sips.push_back(y * grid.width + (x + 1) % grid.width);
  if (column(grid).leadsUp(y))
    sips.push_back((y + 1) % grid.height * grid.width + x);
  return sips;
}
