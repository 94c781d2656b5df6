//===- Inversions.h - Ranks whose bits may be inverted ----------*- C++ -*-===//
//
// A program in which each rank exchanges data with those whose numbers differ from its own in one
// bit does not change if a bit of all ranks is inverted. Ranks beyond the largest power of two have
// no such partners; with them, the program is not symmetric.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROGRAMS_INVERSIONS_H
#define CCL_PROGRAMS_INVERSIONS_H

#include "cclc/DSL/DSL.h"

#include <vector>

namespace cclc::dsl {

/// Calls step(r) for every rank r below \p core, a power of two. If these are all ranks, it is
/// called for rank 0, and repeated for the others: with bit d of the rank, bit chunkBit(d) of chunk
/// indices is inverted; 0 if they stay.
template <class ChunkBit, class Step>
void onCore(Program &p, int core, ChunkBit chunkBit, Step step) {
  if (p.ranks() != core) {
    for (int r = 0; r < core; ++r)
      step(r);
    return;
  }
  std::vector<Rotation> inversions;
  for (int bit = core / 2; bit > 0; bit /= 2)
    inversions.push_back({.ranks = 2, .stride = bit, .chunks = chunkBit(bit)});
  p.orbit(inversions, [&] { step(0); });
}

} // namespace cclc::dsl

#endif // CCL_PROGRAMS_INVERSIONS_H
