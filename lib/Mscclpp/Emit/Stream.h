//===- Stream.h - Generating the operations of a threadblock ----*- C++ -*-===//
//
// Inserts a nop where the threads of a threadblock must synchronise: before an operation on data
// that another thread may still access, before a signal for the accesses of all threads, and after
// a wait by one thread. Adjacent signals, waits, acquires and releases are merged into one
// operation.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_EMIT_STREAM_H
#define CCL_LIB_MSCCLPP_EMIT_STREAM_H

#include "cclc/Mscclpp/Executor.h"
#include "cclc/Mscclpp/PlanBuilder.h"

namespace cclc::mscclpp {

class Stream {
public:
  /// \p spaces are those of all placements. After \p capacity operations the stream continues in
  /// another threadblock, ordered by a semaphore of \p rank.
  Stream(RankId id, RankDraft &rank, ArrayRef<CellSpace> spaces, const Constraints &constraints,
         std::optional<uint32_t> capacity)
      : id(id), rank(rank), spaces(spaces), constraints(constraints), capacity(capacity) {
    pieces.emplace_back();
  }

  /// Must be called before the places for data() are made, because places belong to a threadblock.
  void makeRoom(LocId loc);
  Place local(Operand operand, uint32_t count) const {
    return {std::nullopt, operand.buffer(), operand.index(), count};
  }
  /// A place in the memory of \p peer, which channels of this kind access.
  Place remote(RankId peer, Operand operand, uint32_t count, ChannelKind kind);

  void data(OpKind op, LocId loc, ArrayRef<Place> sources, ArrayRef<Place> destinations);
  /// A transfer by proxy through port channel \p number of the rank.
  void transfer(OpKind op, LocId loc, const Place &source, const Place &destination,
                uint32_t number);
  /// Signal or wait on a channel of the rank, acquire or release a semaphore of it.
  void synchronise(OpKind op, LocId loc, uint32_t number, ChannelKind kind = ChannelKind::Memory);

  size_t size() const { return pieces.back().ops.size(); }
  std::vector<ThreadblockDraft> take() { return std::move(pieces); }

private:
  struct Access {
    size_t space;
    uint32_t first, end;
    bool write;
  };
  void collect(const Place &place, bool write, SmallVectorImpl<Access> &accesses) const;
  bool conflicts(ArrayRef<Access> accesses) const;
  void nop(LocId loc);

  RankId id;
  RankDraft &rank;
  ArrayRef<CellSpace> spaces;
  const Constraints &constraints; ///< limits of the executor
  std::optional<uint32_t> capacity;
  std::vector<ThreadblockDraft> pieces;
  /// Accesses since the last nop.
  SmallVector<Access, 16> recent;
  bool moved = false, waited = false, transferred = false;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_EMIT_STREAM_H
