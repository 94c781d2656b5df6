//===- Plan.h - An execution plan of MSCCL++ --------------------*- C++ -*-===//
//
// The input of the executor of MSCCL++. Threadblocks write into the memory of other ranks and
// notify them by signals; there are no FIFOs. The model differs from that of an ExecPlan:
//
//   * A memory channel connects two ranks. Each of its two ends counts the signals from the other
//     end; a wait consumes one. The n-th channel of a rank to a peer and the n-th channel of that
//     peer to the rank are the two ends.
//   * A semaphore of a rank also counts, between its threadblocks.
//   * The threads of a threadblock are not synchronised: only a `nop` (or a barrier) orders the
//     accesses of one thread before it and those of another thread after it.
//   * A packet contains a flag that changes with every launch; its reader waits for the flag.
//
// The tables mirror the file: the channels and remote buffers of a rank, and for each threadblock
// those that it uses, to which its operations refer by position.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_PLAN_H
#define CCL_MSCCLPP_PLAN_H

#include "cclc/IR/CellSpace.h"
#include "cclc/IR/ProgramInfo.h"
#include "cclc/Mscclpp/Ops.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc::mscclpp {

/// A source or destination: chunks [index, index + count) of a buffer. Chunks of another rank are
/// in a remote buffer of the threadblock.
struct Place {
  std::optional<uint32_t> remote;
  Buffer buffer; ///< for a remote place, that of the remote buffer
  uint32_t index, count;
  friend bool operator==(const Place &, const Place &) = default;
};

/// A range of one of the arrays of a plan.
struct Range {
  uint32_t first = 0, count = 0;
};

struct Operation {
  OpKind op;
  LocId loc;
  Range src, dst;            ///< places
  Range ids;                 ///< numbers
  uint32_t participants = 0; ///< threadblocks of a barrier
};

struct RemoteBuffer {
  RankId rank;
  Buffer buffer;
  friend bool operator==(const RemoteBuffer &, const RemoteBuffer &) = default;
};

struct Threadblock {
  RankId rank;
  Range channels, remotes; ///< references into the tables of the rank
  Range ops;
};

struct Rank {
  uint32_t inputChunks, outputChunks, scratchChunks;
  Range channels, remotes, semaphores, threadblocks;
};

/// The properties of a plan as a whole.
struct Header {
  std::string name;
  /// The collective that the plan must compute; without post-condition if the file does not name
  /// it.
  Collective collective;
  std::string collectiveName; ///< in the spelling of the file
  bool inPlace = false;
  Protocol protocol = Protocol::Simple; ///< Simple or LL
  bool reuseResources = false, doubleScratch = false;
  uint32_t bufferAlignment = 16, threadsPerBlock = 1024;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
  LocTable locs;
  std::string file; ///< the file that the plan was read from; empty for compiled plans

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
  /// The rank that owns the memory of a place of \p tb.
  RankId owner(const Threadblock &tb, const Place &place) const {
    return place.remote ? remotes(rankOf(tb))[remotes(tb)[*place.remote]].rank : tb.rank;
  }
  /// The index among the channels of the rank of channel \p id of \p tb.
  uint32_t channel(const Threadblock &tb, uint32_t id) const { return channels(tb)[id]; }

  /// "r3 tb1" and "r3 tb1 op 4 (put)".
  std::string threadblockName(PlanThreadblockId threadblock) const;
  std::string opName(PlanThreadblockId threadblock, PlanOpId op) const;
  Location locate(PlanOpId op) const { return theHeader.locs.resolve(theOps[op.index()].loc); }
  /// The location for errors without a line.
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
  std::vector<RankId> peers;           ///< by channel, rank after rank
  std::vector<RemoteBuffer> buffers;   ///< by remote buffer, rank after rank
  std::vector<uint32_t> initialValues; ///< by semaphore, rank after rank
  std::vector<uint32_t> references;    ///< of threadblocks
  std::vector<Place> places;
  std::vector<uint32_t> numbers;
};

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_PLAN_H
