//===- Operation.h - An operation of an MSCCL++ plan ------------*- C++ -*-===//

#ifndef CCL_MSCCLPP_OPERATION_H
#define CCL_MSCCLPP_OPERATION_H

#include "cclc/IR/CellSpace.h"
#include "cclc/Mscclpp/Ops.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc::mscclpp {

/// A source or destination: chunks [index, index + count) of a buffer. Chunks of another rank are
/// in a remote buffer of the threadblock, those of a group of ranks in one of its switch channels.
struct Place {
  std::optional<uint32_t> remote;
  Buffer buffer; ///< for another place than a local one, that of the remote buffer or channel
  uint32_t index, count;
  std::optional<uint32_t> group = {};
  friend bool operator==(const Place &, const Place &) = default;
};

/// A range of one of the arrays of a plan.
struct Range {
  uint32_t first = 0, count = 0;
};

/// A part of an operation that the threadblocks of a group share ('tbg_info').
struct Share {
  uint32_t part = 0, parts = 1;
  friend bool operator==(const Share &, const Share &) = default;
};

/// The pieces in which a pipeline executes its body, the operations after it.
struct Pieces {
  uint64_t bytes = 0;                ///< of a piece
  uint32_t chunks = 0, bodySize = 0; ///< chunks of each place of the body; operations of the body
};

struct Operation {
  OpKind op;
  LocId loc;
  Range src, dst;            ///< places
  Range ids;                 ///< numbers
  uint32_t participants = 0; ///< threadblocks of a barrier
  ChannelKind channel = ChannelKind::Memory;
  uint32_t number = 0; ///< position in the threadblock of the file
  Share share = {};
  Pieces pieces = {}; ///< of a pipeline

  /// Whether a proxy moves its data.
  bool isByProxy() const { return channel == ChannelKind::Port && traits(op).movesData(); }
  Access source(size_t index) const {
    return isByProxy() && op == OpKind::PutPackets ? Access::Staged : traits(op).source(index);
  }
  Access destination(size_t index) const { return traits(op).destination(index); }
  /// The meaning of its numbers: puts by proxy have a channel for each destination.
  IdKind idKind() const { return isByProxy() ? IdKind::Channels : traits(op).ids; }
};

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_OPERATION_H
