//===- CellSpace.h - Physical cells with aliases resolved -------*- C++ -*-===//
//
// A cell is a chunk-sized location in the memory of one rank. Under a placement, input and output
// cells may be the same memory; a CellSpace maps every (rank, operand) to the number of its
// physical cell, dense over all ranks, so that analyses keep their state in flat arrays and see
// every alias.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_CELLSPACE_H
#define CCL_IR_CELLSPACE_H

#include "cclc/IR/Collective.h"

#include <algorithm>

namespace cclc {

class CellSpace {
public:
  /// \p scratchChunks has one entry per rank.
  CellSpace(const Collective &collective, Placement placement, ArrayRef<uint32_t> scratchChunks);

  /// Number of the first physical cell of \p operand.
  uint64_t cell(RankId rank, Operand operand) const {
    return rankStart(rank) + offsetInRank(rank, operand);
  }
  /// The same, relative to the first cell of the rank.
  uint32_t offsetInRank(RankId rank, Operand operand) const {
    const Rank &layout = layouts[rank.index()];
    return layout.offset[static_cast<unsigned>(operand.buffer())] + operand.index();
  }
  /// Whether the ranges of \p count chunks overlap without being equal. A step that reads one and
  /// writes the other has no defined result, because its chunks are processed in no particular
  /// order.
  bool overlapPartly(RankId rank, Operand a, Operand b, uint32_t count) const {
    uint32_t x = offsetInRank(rank, a), y = offsetInRank(rank, b);
    return x != y && std::max(x, y) - std::min(x, y) < count;
  }
  uint64_t rankStart(RankId rank) const { return layouts[rank.index()].start; }
  uint32_t cellsOfRank(RankId rank) const { return layouts[rank.index()].size; }
  /// The number of cells of all ranks.
  uint64_t size() const { return total; }
  Placement placement() const { return thePlacement; }

private:
  struct Rank {
    uint64_t start;
    uint32_t size;
    uint32_t offset[3]; ///< by Buffer
  };
  std::vector<Rank> layouts;
  uint64_t total = 0;
  Placement thePlacement;
};

/// The number of chunks of \p buffer on \p rank.
uint32_t bufferChunks(const Collective &collective, ArrayRef<uint32_t> scratchChunks, RankId rank,
                      Buffer buffer);

/// The number of chunks of all buffers of all ranks; aliased buffers count separately.
uint64_t countCells(const Collective &collective, ArrayRef<uint32_t> scratchChunks);

} // namespace cclc

#endif // CCL_IR_CELLSPACE_H
