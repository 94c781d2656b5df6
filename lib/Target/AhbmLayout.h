//===- AhbmLayout.h - The layout of a cube and a SIP ------------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_AHBMLAYOUT_H
#define CCL_LIB_TARGET_AHBMLAYOUT_H

#include "cclc/Target/Machine.h"

#include <optional>
#include <vector>

namespace cclc::ahbm {

inline constexpr uint32_t gridSize = 6; ///< routers on a side of a cube
inline constexpr uint32_t numConnections = 4;
/// Rows (columns) of the edge routers to which the connections of a side are attached.
inline constexpr uint32_t connectionPlace[numConnections] = {0, 0, 5, 5};

struct RouterPos {
  uint32_t row, col;
  friend bool operator==(RouterPos, RouterPos) = default;
};
constexpr bool isHole(RouterPos at) {
  return (at.row == 2 || at.row == 3) && (at.col == 2 || at.col == 3);
}
/// PE 0 ... PE 7.
inline constexpr RouterPos peRouter[] = {{0, 0}, {0, 1}, {1, 4}, {1, 5},
                                         {4, 0}, {4, 1}, {5, 4}, {5, 5}};

enum Side : uint32_t { North, South, East, West };
constexpr Side opposite(Side side) { return static_cast<Side>(side ^ 1); }
inline constexpr const char *sideNames[] = {"n", "s", "e", "w"};

/// The router that connection \p c of a side is attached to.
constexpr RouterPos connectionRouter(Side side, uint32_t c) {
  uint32_t place = connectionPlace[c];
  switch (side) {
  case North:
    return {0, place};
  case South:
    return {gridSize - 1, place};
  case East:
    return {place, gridSize - 1};
  case West:
    return {place, 0};
  }
  return {};
}

struct Cube {
  std::vector<OptionalId<NodeId>> router; ///< by row * gridSize + col; none in the hole
  std::vector<NodeId> port;               ///< by Side
  std::vector<NodeId> connection;         ///< by Side * numConnections + c
  std::vector<NodeId> dma;                ///< by PE

  NodeId at(RouterPos pos) const { return *router[pos.row * gridSize + pos.col]; }
  NodeId connectionAt(Side side, uint32_t c) const { return connection[side * numConnections + c]; }
};

struct IoPhy {
  uint32_t column; ///< column, in the first row, of the cube that it is attached to
  NodeId port;
  std::vector<NodeId> connection;
};

struct Sip {
  std::vector<Cube> cubes; ///< by row * width + col
  std::vector<IoPhy> phys; ///< the PHYs that are attached to a cube
  NodeId ioNoc, pcie;
};

struct Shape {
  uint32_t cubesWide = 4, cubesHigh = 4, pes = 8;
  /// By PE: the UCIe connection that messages to it use on every side of a cube.
  std::vector<uint32_t> connectionOfPe = std::vector<uint32_t>(std::size(peRouter));
  uint32_t cubes() const { return cubesWide * cubesHigh; }
};

/// How SIPs are connected: by a switch, or directly with their neighbours in the grid.
struct SipLinks {
  GridLevel grid;
  std::optional<NodeId> fabric; ///< the switch; unset: direct links

  /// The SIPs after \p from on the route to \p to over direct links: along the row, then along the
  /// column, in the shorter direction or, if both are equally long, upwards.
  std::vector<uint32_t> path(uint32_t from, uint32_t to) const;
  /// The neighbours of \p sip with higher coordinates, or beyond the wrap.
  std::vector<uint32_t> next(uint32_t sip) const;
};

} // namespace cclc::ahbm

#endif // CCL_LIB_TARGET_AHBMLAYOUT_H
