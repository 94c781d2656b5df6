//===- Distances.h - Distances from a vertex --------------------*- C++ -*-===//
//
// Those of ShortestPaths.h, in O(E log V). Paths are not returned: callers resolve ties in the order
// of the links.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_TARGET_DISTANCES_H
#define CCL_LIB_TARGET_DISTANCES_H

#include "cclc/Target/Machine.h"

#include <limits>

namespace cclc {

struct Arc {
  uint32_t from, to; ///< vertices
  int64_t weight;
};

/// The weight of a link: its latency in picoseconds, and one more, so that among equal paths one
/// with fewer links is chosen.
inline int64_t weightOf(const Machine &machine, const Link &link) {
  return 1 + machine.latency(link).picoseconds();
}

/// The distance of a vertex without a path.
inline constexpr int64_t noPath = std::numeric_limits<int64_t>::max();

/// The distances from \p source to all vertices, whose number is \p vertices.
std::vector<int64_t> distancesFrom(uint32_t source, uint32_t vertices, ArrayRef<Arc> arcs);

} // namespace cclc

#endif // CCL_LIB_TARGET_DISTANCES_H
