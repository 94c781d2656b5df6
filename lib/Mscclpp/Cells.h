//===- Cells.h - Which memory a place of an operation is --------*- C++ -*-===//
//
// A packet takes twice the room of its data: packet chunk k of scratch is the
// plain chunks 2k and 2k+1. With a double scratch buffer, launches alternate
// between two halves.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_CELLS_H
#define CCL_LIB_MSCCLPP_CELLS_H

#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// Cells of one rank, one after the other. Operands of scratch count in plain
/// chunks.
struct Span {
  RankId rank;
  Operand first;
  uint32_t count;
  bool packets;
  /// The chunk that cell \p index of it belongs to, as the plan calls it: "r1:s[3]".
  std::string name(uint32_t index) const;
  /// One chunk of it.
  Span chunk(uint32_t index) const {
    uint32_t width = packets ? 2 : 1;
    return {rank, first.offsetBy(index * width), width, packets};
  }
};

class CellMap {
public:
  explicit CellMap(const Plan &plan);

  /// In the half of scratch that \p half, 0 or 1, names.
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
  uint32_t cellsPerChunk; ///< of scratch
  CellSpace theSpace;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_CELLS_H
