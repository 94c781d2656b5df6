//===- Plan.h - An execution plan of MSCCL++ --------------------*- C++ -*-===//
//
// The input of the executor of MSCCL++. Threadblocks write into the memory of other ranks and
// notify them by signals; there are no FIFOs. The model differs from that of an ExecPlan:
//
//   * A memory channel connects two ranks. Each of its two ends counts the signals from the other
//     end; a wait consumes one. The n-th channel of a rank to a peer and the n-th channel of that
//     peer to the rank are the two ends.
//   * So does a port channel; a proxy transfers its puts and signals later, in their order.
//   * A switch channel accesses the memories of a group of ranks at once.
//   * A semaphore of a rank also counts, between its threadblocks.
//   * The threads of a threadblock are not synchronised: only a `nop` (or a barrier) orders the
//     accesses of one thread before it and those of another thread after it.
//   * A packet contains a flag that changes with every launch; its reader waits for the flag.
//
// The tables mirror the file: the channels and remote buffers of a rank, and for each threadblock
// those that it uses, to which its operations refer by position, separately for each kind of
// channel. A pipeline repeats the operations after it; Unroll.h replaces it by its iterations.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_PLAN_H
#define CCL_MSCCLPP_PLAN_H

#include "cclc/Mscclpp/Header.h"
#include "cclc/Mscclpp/Operation.h"
#include "cclc/Support/Diagnostics.h"

#include <array>
#include <map>

namespace cclc::mscclpp {

/// A switch channel: the buffer of this rank that belongs to it, and the ranks of the group.
struct SwitchChannel {
  Buffer buffer;
  Range members;
};

/// The ranges of the two kinds of channels that connect two ranks, by ChannelKind.
using ByChannel = std::array<Range, 2>;

/// A buffer of another rank, and how it is accessed.
struct RemoteBuffer {
  RankId rank;
  Buffer buffer;
  bool byMemory = true, byPort = false;
  friend bool operator==(const RemoteBuffer &, const RemoteBuffer &) = default;
};

struct Threadblock {
  RankId rank;
  ByChannel channels, remotes; ///< references into the tables of the rank
  Range switches;              ///< the same
  Range ops;
};

struct Rank {
  uint32_t inputChunks, outputChunks, scratchChunks;
  ByChannel channels;
  Range switches, remotes, semaphores, threadblocks;
};

class Plan {
public:
  const Header &header() const { return theHeader; }
  /// What it has in common with plans of steps. The phases are the mnemonics of its operations.
  const ProgramInfo &info() const { return theInfo; }
  uint32_t phase(const Operation &op) const { return phases.at(op.op); }
  void setEndpoints(ArrayRef<uint32_t> endpoints) { theInfo.placementOnTarget = endpoints; }
  ArrayRef<Rank> ranks() const { return theRanks; }
  ArrayRef<Threadblock> threadblocks() const { return theThreadblocks; }
  ArrayRef<Operation> ops() const { return theOps; }

  ArrayRef<Threadblock> threadblocks(const Rank &rank) const {
    return slice(theThreadblocks, rank.threadblocks);
  }
  /// The ranks at the other ends of channels.
  ArrayRef<RankId> channels(const Rank &rank, ChannelKind kind) const {
    return slice(peers, rank.channels[size_t(kind)]);
  }
  ArrayRef<SwitchChannel> switches(const Rank &rank) const {
    return slice(switchChannels, rank.switches);
  }
  ArrayRef<RankId> members(const SwitchChannel &channel) const {
    return slice(peers, channel.members);
  }
  ArrayRef<RemoteBuffer> remotes(const Rank &rank) const { return slice(buffers, rank.remotes); }
  ArrayRef<uint32_t> semaphores(const Rank &rank) const {
    return slice(initialValues, rank.semaphores);
  }
  ArrayRef<Operation> ops(const Threadblock &tb) const { return slice(theOps, tb.ops); }
  ArrayRef<uint32_t> channels(const Threadblock &tb, ChannelKind kind) const {
    return slice(references, tb.channels[size_t(kind)]);
  }
  ArrayRef<uint32_t> remotes(const Threadblock &tb, ChannelKind kind) const {
    return slice(references, tb.remotes[size_t(kind)]);
  }
  ArrayRef<uint32_t> switches(const Threadblock &tb) const {
    return slice(references, tb.switches);
  }
  ArrayRef<Place> sources(const Operation &op) const { return slice(places, op.src); }
  ArrayRef<Place> destinations(const Operation &op) const { return slice(places, op.dst); }
  ArrayRef<uint32_t> ids(const Operation &op) const { return slice(numbers, op.ids); }

  const Rank &rankOf(const Threadblock &tb) const { return theRanks[tb.rank.index()]; }
  /// The rank that owns the memory of a local or remote place of \p op.
  RankId owner(const Threadblock &tb, const Operation &op, const Place &place) const {
    return place.remote ? remotes(rankOf(tb))[remotes(tb, op.channel)[*place.remote]].rank
                        : tb.rank;
  }

  /// "r3 tb1" and "r3 tb1 op 4 (put)".
  std::string threadblockName(PlanThreadblockId threadblock) const;
  std::string opName(PlanThreadblockId threadblock, PlanOpId op) const;
  Location locate(PlanOpId op) const { return theHeader.locs.resolve(theOps[op.index()].loc); }
  /// The location for errors without a line.
  Location whole() const { return {theHeader.file}; }

private:
  friend class PlanBuilder;
  explicit Plan(Header header) : theHeader(std::move(header)), theInfo(programInfoOf(theHeader)) {}
  template <class T> static ArrayRef<T> slice(const std::vector<T> &all, Range range) {
    return ArrayRef<T>(all).slice(range.first, range.count);
  }

  Header theHeader;
  ProgramInfo theInfo;
  std::map<OpKind, uint32_t> phases;
  std::vector<Rank> theRanks;
  std::vector<Threadblock> theThreadblocks;
  std::vector<Operation> theOps;
  std::vector<RankId> peers; ///< of channels, and members of groups
  std::vector<SwitchChannel> switchChannels;
  std::vector<RemoteBuffer> buffers;   ///< by remote buffer, rank after rank
  std::vector<uint32_t> initialValues; ///< by semaphore, rank after rank
  std::vector<uint32_t> references;    ///< of threadblocks
  std::vector<Place> places;
  std::vector<uint32_t> numbers;
};

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_PLAN_H
