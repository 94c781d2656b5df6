//===- Cells.h - The memory cells of a place --------------------*- C++ -*-===//
//
// A packet takes twice the space of its data: packet chunk k of scratch occupies the plain chunks
// 2k and 2k+1. With a double scratch buffer, launches alternate between two halves. A place on a
// switch channel is a span in the memory of every member of the group.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_PROOF_CELLS_H
#define CCL_LIB_MSCCLPP_PROOF_CELLS_H

#include "cclc/Mscclpp/Proof/Groups.h"

namespace cclc::mscclpp {

/// Successive cells of one rank. Operands in scratch are counted in plain chunks.
struct Span {
  RankId rank;
  Operand first;
  uint32_t count;
  Access access;
  uint32_t cellsPerChunk; ///< cells of one chunk of the file

  bool packets() const { return isPackets(access); }
  /// Whether its reader waits for the packets.
  bool waits() const { return access == Access::Packets; }
  /// The chunk of cell \p index in the notation of the plan: "r1:s[3]".
  std::string name(uint32_t index) const;
  /// One chunk of the span.
  Span chunk(uint32_t index) const {
    uint32_t width = packets() ? 2 : 1;
    return {rank, first.offsetBy(index * width), width, access, cellsPerChunk};
  }
};

class CellMap {
public:
  CellMap(const Plan &plan, const Groups &groups);

  const CellSpace &space() const { return theSpace; }
  uint64_t cell(const Span &span) const { return theSpace.cell(span.rank, span.first); }

  /// Calls fn(span) for every source (destination) of \p op, in half \p half, 0 or 1, of double
  /// scratch.
  template <class Fn>
  void forEachSource(const Threadblock &tb, const Operation &op, uint32_t half, Fn fn) const {
    for (size_t i = 0; i < op.src.count; ++i)
      forEachSpan(tb, op, plan.sources(op)[i], op.source(i), half, fn);
  }
  template <class Fn>
  void forEachDestination(const Threadblock &tb, const Operation &op, uint32_t half, Fn fn) const {
    for (size_t i = 0; i < op.dst.count; ++i)
      forEachSpan(tb, op, plan.destinations(op)[i], op.destination(i), half, fn);
  }

private:
  template <class Fn>
  void forEachSpan(const Threadblock &tb, const Operation &op, const Place &place, Access access,
                   uint32_t half, Fn fn) const {
    if (!place.group)
      return fn(span(plan.owner(tb, op, place), place.buffer, place, access, half));
    for (const Groups::Member &member : groups.members(tb, place))
      fn(span(member.rank, member.buffer, place, access, half));
  }
  Span span(RankId owner, Buffer buffer, const Place &place, Access access, uint32_t half) const;
  static CellSpace makeSpace(const Plan &plan, uint32_t cellsPerChunk);

  const Plan &plan;
  const Groups &groups;
  uint32_t cellsPerChunk; ///< cells per chunk of scratch
  CellSpace theSpace;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_PROOF_CELLS_H
