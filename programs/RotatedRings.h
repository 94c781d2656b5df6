//===- RotatedRings.h - Rings through every network adapter -----*- C++ -*-===//
//
// With N nodes of G ranks, a ring that enters each node at its rank g visits the others in
// ascending order modulo G, and leaves the node from rank g-1. With such a ring for every second
// rank g, and the same rings in the opposite direction, every rank sends to another node in one
// ring, and receives from another node in one ring; with a ring for every rank, in two.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROGRAMS_ROTATEDRINGS_H
#define CCL_PROGRAMS_ROTATEDRINGS_H

#include "cclc/DSL/DSL.h"

#include <algorithm>
#include <vector>

namespace cclc::dsl {

constexpr IntParam ringsParam() {
  return {.name = "rings",
          .help = "rings in each direction, at most one for each rank of a node; half as many use "
                  "all adapters",
          .value = 4,
          .min = 1,
          .max = 64};
}

/// The ranks of each ring, in their order. Inside a single node all rings would be the same one.
inline std::vector<std::vector<int>> rotatedRings(int nodes, int ranksPerNode, int most) {
  const int count = nodes == 1 ? 1 : std::min(most, ranksPerNode);
  std::vector<std::vector<int>> rings;
  for (int k = 0; k < count; ++k) {
    const int first = k * ranksPerNode / count;
    std::vector<int> ring;
    for (int node = 0; node < nodes; ++node)
      for (int i = 0; i < ranksPerNode; ++i)
        ring.push_back(node * ranksPerNode + (first + i) % ranksPerNode);
    rings.push_back(ring);
    std::reverse(ring.begin(), ring.end());
    rings.push_back(ring);
  }
  return rings;
}

/// Chunk \p k of the \p count chunks of each rank, in the order of the ranks of \p ring.
inline std::vector<int> chunksOfRing(const std::vector<int> &ring, int k, int count) {
  std::vector<int> chunks;
  for (int rank : ring)
    chunks.push_back(rank * count + k);
  return chunks;
}

} // namespace cclc::dsl

#endif // CCL_PROGRAMS_ROTATEDRINGS_H
