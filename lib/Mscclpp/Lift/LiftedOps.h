//===- LiftedOps.h - The copies and reductions of a plan --------*- C++ -*-===//
//
// What the operations of a plan do, before it becomes a program, and how that is simplified:
//
//   * A rank receives a value in scratch and adds a local one to it: it adds the received value to
//   a
//     copy of the local one instead, so that the receive and the sum can be one step.
//   * A rank receives a value in scratch, forwards it and copies it: it receives the value where
//     the copy is, and forwards it from there.
//
// The sender keeps the value until the receiver adds it, and nothing accesses the place of the copy
// before.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_LIFT_LIFTEDOPS_H
#define CCL_LIB_MSCCLPP_LIFT_LIFTEDOPS_H

#include "cclc/IR/ChunkProgram.h"

#include <vector>

namespace cclc::mscclpp {

/// Successive chunks of a rank.
struct Chunks {
  RankId rank;
  ChunkBuffer buffer;
  uint32_t index, count;
};
inline Chunks sourceOf(const ChunkOp &op) { return {op.srcRank, op.src, op.srcIndex, op.count}; }
inline Chunks destinationOf(const ChunkOp &op) {
  return {op.dstRank, op.dst, op.dstIndex, op.count};
}

/// Compares places. Scratch buffers share no memory.
class PlaceCompare {
public:
  /// \p cells is that of input and output.
  explicit PlaceCompare(CellSpace cells) : cells(std::move(cells)) {}

  /// A number of the first chunk; the others follow it, and no other chunk has the same.
  uint64_t first(const Chunks &chunks) const {
    if (chunks.buffer.isScratch())
      return uint64_t(chunks.buffer.raw()) << 56 | uint64_t(chunks.rank.index()) << 32 |
             chunks.index;
    return cells.cell(chunks.rank, Operand(chunks.buffer.kind(), chunks.index));
  }
  bool same(const Chunks &a, const Chunks &b) const {
    return first(a) == first(b) && a.count == b.count;
  }
  bool overlap(const Chunks &a, const Chunks &b) const {
    return first(a) < first(b) + b.count && first(b) < first(a) + a.count;
  }

private:
  CellSpace cells;
};

/// A copy or reduction, the threadblock that performs it, and its part in an operation of a switch.
struct LiftedOp {
  ChunkOp op;
  uint32_t threadblock, inSwitch;
};

std::vector<LiftedOp> simplify(std::vector<LiftedOp> ops, const PlaceCompare &places);

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_LIFT_LIFTEDOPS_H
