//===- Plan.h - An execution plan of MSCCL++ --------------------*- C++ -*-===//
//
// What the executor of MSCCL++ runs. Threadblocks write into the memory of other
// ranks and tell them by signals; nothing is a FIFO. So the model differs from
// that of an ExecPlan:
//
//   * A memory channel joins two ranks. Each of its two ends counts the signals
//     from the other one; a wait takes one. The n-th channel of a rank to a peer
//     and the n-th channel of that peer to the rank are the two ends.
//   * A semaphore of a rank is counted as well, between its threadblocks.
//   * The threads of a threadblock run apart: only a `nop` (or a barrier) orders
//     what one of them does before it with what another one does after it.
//   * A packet carries a flag that is new in every launch; who reads it waits.
//
// The tables mirror the file: channels and remote buffers of a rank, and of each
// threadblock the ones that it uses, by whose position its operations call them.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_PLAN_H
#define CCL_MSCCLPP_PLAN_H

#include "cclc/IR/CellSpace.h"
#include "cclc/IR/ProgramInfo.h"
#include "cclc/Mscclpp/Ops.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc::mscclpp {

/// A source or destination: chunks [index, index + count) of a buffer. Those of
/// another rank are named by a remote buffer of the threadblock.
struct Place {
  std::optional<uint32_t> remote;
  Buffer buffer; ///< of remote ones, that of the remote buffer
  uint32_t index, count;
  friend bool operator==(const Place &, const Place &) = default;
};

/// Part of one of the arrays of a plan.
struct Range {
  uint32_t first = 0, count = 0;
};

struct Operation {
  OpKind op;
  LocId loc;
  Range src, dst;            ///< of the places
  Range ids;                 ///< of the numbers
  uint32_t participants = 0; ///< of a barrier
};

struct RemoteBuffer {
  RankId rank;
  Buffer buffer;
  friend bool operator==(const RemoteBuffer &, const RemoteBuffer &) = default;
};

struct Threadblock {
  RankId rank;
  Range channels, remotes; ///< of the references, into the tables of the rank
  Range ops;
};

struct Rank {
  uint32_t inputChunks, outputChunks, scratchChunks;
  Range channels, remotes, semaphores, threadblocks;
};

/// What a plan says about itself.
struct Header {
  std::string name;
  /// What the plan must compute; without post-condition where the file does not say.
  Collective collective;
  std::string collectiveName; ///< as the file calls it
  bool inPlace = false;
  Protocol protocol = Protocol::Simple; ///< Simple or LL
  bool reuseResources = false, doubleScratch = false;
  uint32_t bufferAlignment = 16, threadsPerBlock = 1024;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
  LocTable locs;
  std::string file; ///< that the plan was read from; empty for our own

  explicit Header(Collective collective) : collective(std::move(collective)) {}
};

class Plan {
public:
  const Header &header() const { return theHeader; }
  ArrayRef<Rank> ranks() const { return theRanks; }
  ArrayRef<Threadblock> threadblocks() const { return theThreadblocks; }
  ArrayRef<Operation> ops() const { return theOps; }

  ArrayRef<Threadblock> threadblocks(const Rank &rank) const {
    return slice(theThreadblocks, rank.threadblocks);
  }
  ArrayRef<RankId> channels(const Rank &rank) const { return slice(peers, rank.channels); }
  ArrayRef<RemoteBuffer> remotes(const Rank &rank) const { return slice(buffers, rank.remotes); }
  ArrayRef<uint32_t> semaphores(const Rank &rank) const {
    return slice(initialValues, rank.semaphores);
  }
  ArrayRef<Operation> ops(const Threadblock &tb) const { return slice(theOps, tb.ops); }
  ArrayRef<uint32_t> channels(const Threadblock &tb) const {
    return slice(references, tb.channels);
  }
  ArrayRef<uint32_t> remotes(const Threadblock &tb) const { return slice(references, tb.remotes); }
  ArrayRef<Place> sources(const Operation &op) const { return slice(places, op.src); }
  ArrayRef<Place> destinations(const Operation &op) const { return slice(places, op.dst); }
  ArrayRef<uint32_t> ids(const Operation &op) const { return slice(numbers, op.ids); }

  const Rank &rankOf(const Threadblock &tb) const { return theRanks[tb.rank.index()]; }
  /// The rank in whose memory a place of \p tb lies.
  RankId owner(const Threadblock &tb, const Place &place) const {
    return place.remote ? remotes(rankOf(tb))[remotes(tb)[*place.remote]].rank : tb.rank;
  }
  /// The channel of the rank, by its position there, that \p tb calls \p id.
  uint32_t channel(const Threadblock &tb, uint32_t id) const { return channels(tb)[id]; }

  /// "r3 tb1" and "r3 tb1 op 4 (put)"; both are indices into the plan.
  std::string threadblockName(uint32_t threadblock) const;
  std::string opName(uint32_t threadblock, uint32_t op) const;
  Location locate(uint32_t op) const { return theHeader.locs.resolve(theOps[op].loc); }
  /// Of what has no line.
  Location whole() const { return {theHeader.file}; }

private:
  friend class PlanBuilder;
  explicit Plan(Header header) : theHeader(std::move(header)) {}
  template <class T> static ArrayRef<T> slice(const std::vector<T> &all, Range range) {
    return ArrayRef<T>(all).slice(range.first, range.count);
  }

  Header theHeader;
  std::vector<Rank> theRanks;
  std::vector<Threadblock> theThreadblocks;
  std::vector<Operation> theOps;
  std::vector<RankId> peers;           ///< by channel of a rank
  std::vector<RemoteBuffer> buffers;   ///< by remote buffer of a rank
  std::vector<uint32_t> initialValues; ///< by semaphore of a rank
  std::vector<uint32_t> references;    ///< of threadblocks
  std::vector<Place> places;
  std::vector<uint32_t> numbers;
};

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_PLAN_H
