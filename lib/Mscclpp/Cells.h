//===- Cells.h - The memory cells of a place --------------------*- C++ -*-===//
//
// A packet takes twice the space of its data: packet chunk k of scratch occupies the plain chunks
// 2k and 2k+1. With a double scratch buffer, launches alternate between two halves.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_CELLS_H
#define CCL_LIB_MSCCLPP_CELLS_H

#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// Successive cells of one rank. Operands in scratch are counted in plain chunks.
struct Span {
  RankId rank;
  Operand first;
  uint32_t count;
  bool packets;
  /// The chunk of cell \p index in the notation of the plan: "r1:s[3]".
  std::string name(uint32_t index) const;
  /// One chunk of the span.
  Span chunk(uint32_t index) const {
    uint32_t width = packets ? 2 : 1;
    return {rank, first.offsetBy(index * width), width, packets};
  }
};

class CellMap {
public:
  explicit CellMap(const Plan &plan);

  /// The span of a place, in half \p half, 0 or 1, of double scratch.
  Span span(const Threadblock &tb, const Place &place, Access access, uint32_t half = 0) const;
  const CellSpace &space() const { return theSpace; }
  uint64_t cell(const Span &span) const { return theSpace.cell(span.rank, span.first); }

  /// Calls fn(span) for every source (destination) of \p op.
  template <class Fn>
  void forEachSource(const Threadblock &tb, const Operation &op, uint32_t half, Fn fn) const {
    for (size_t i = 0; i < op.src.count; ++i)
      fn(span(tb, plan.sources(op)[i], traits(op.op).source(i), half));
  }
  template <class Fn>
  void forEachDestination(const Threadblock &tb, const Operation &op, uint32_t half, Fn fn) const {
    for (size_t i = 0; i < op.dst.count; ++i)
      fn(span(tb, plan.destinations(op)[i], traits(op.op).destination(i), half));
  }

private:
  static CellSpace makeSpace(const Plan &plan, uint32_t cellsPerChunk);

  const Plan &plan;
  uint32_t cellsPerChunk; ///< cells per chunk of scratch
  CellSpace theSpace;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_CELLS_H
