//===- Sequence.h - Operations and their synchronisation --------*- C++ -*-===//
//
// The operations of all ranks in an order in which they compute the result. Threadblocks execute
// them at the same time, so that some must be synchronised. Which ones, the race check of the proof
// says: it finds all conflicts of the plan so far, each of which gets
//
//   * a nop, inside a threadblock;
//   * a semaphore, between threadblocks of a rank;
//   * a signal, between ranks;
//   * a relaxed signal at the begin of a launch, if the earlier access is one of the launch before;
//   * a signal and a wait at the end of the launch, if the later access is that of the caller.
//
// As these also order other operations, transitively, a few rounds suffice. Between nodes, signals
// and transfers take port channels. A transfer of packets may continue after its launch; it is over
// when its receiver begins the next one. Another transfer is complete when its operation is, and
// has a signal of its own, for the first operation that must follow it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_EMIT_SEQUENCE_H
#define CCL_LIB_MSCCLPP_EMIT_SEQUENCE_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Mscclpp/Emit/NodeMap.h"
#include "cclc/Mscclpp/Executor.h"
#include "cclc/Mscclpp/PlanBuilder.h"
#include "cclc/Mscclpp/Proof/Conflicts.h"

#include <map>
#include <set>

namespace cclc::mscclpp {

class Sequence {
public:
  /// \p scratchChunks is that of each rank.
  Sequence(const ExecPlan &plan, const NodeMap &nodes, ArrayRef<uint32_t> scratchChunks);

  /// A place in the memory of \p peer, for an operation of \p threadblock of \p rank. Threadblocks
  /// are named by any numbers.
  Place remote(RankId rank, uint32_t threadblock, RankId peer, Operand operand, uint32_t count);
  /// A place in the memory of all \p members, for an operation of a switch.
  Place inSwitch(RankId rank, uint32_t threadblock, ArrayRef<RankId> members, Operand operand,
                 uint32_t count);
  /// \p receivers are the ranks of the destinations if a proxy transfers to them; one of a `pwsf`.
  void add(RankId rank, uint32_t threadblock, LocId loc, OpKind op, ArrayRef<Place> sources,
           ArrayRef<Place> destinations, ArrayRef<RankId> receivers = {});

  /// The plan with all synchronisation. None if it exceeds a limit of the executor.
  std::optional<Plan> synchronised();

private:
  using Op = ThreadblockDraft::Op;
  /// Numbers of semaphores of the rank and of channels of the threadblock.
  struct Synchronisation {
    SmallVector<uint32_t, 2> semaphores = {}, channels = {}, relaxed = {}, ports = {};
    bool isEmpty() const {
      return semaphores.empty() && channels.empty() && relaxed.empty() && ports.empty();
    }
  };
  struct Entry {
    RankId rank;
    uint32_t threadblock; ///< in its rank
    Op op;
    bool nopBefore = false;
    Synchronisation before = {}, after = {};
    SmallVector<RankId, 2> receivers = {}; ///< of a transfer by proxy

    /// Whether nothing waits for the transfer's own signal yet.
    bool isUnanswered() const { return op.op == OpKind::PutSignalFlush && op.ids.empty(); }
  };
  /// An entry, or the begin or the end of a threadblock.
  struct Point {
    RankId rank;
    uint32_t threadblock;
    int64_t position; ///< index of the entry
    OptionalIndex entry;
  };
  /// A channel between two threadblocks, and the positions between which it orders, by direction.
  struct Channel {
    uint32_t numbers[2];
    std::vector<std::pair<int64_t, int64_t>> orders[2];
  };
  struct Built {
    Plan plan;
    std::vector<PlanOpId> order;
    std::map<PlanOpId, uint32_t> entries; ///< those that are not synchronisation
  };

  uint32_t threadblockOf(RankId rank, uint32_t name);
  std::optional<Built> build() const;
  class Builder;
  void synchronise(const Built &built, const Conflicts &conflicts);
  void orderRanks(const Point &earlier, const Point &later, bool relaxed);
  void orderInside(const Point &earlier, const Point &later);
  ChannelKind kindBetween(RankId a, RankId b) const {
    return nodes.areInOneNode(a, b) ? ChannelKind::Memory : ChannelKind::Port;
  }
  /// Makes a channel between the ranks of two threadblocks.
  std::array<uint32_t, 2> connect(RankId a, RankId b);
  Point pointOf(const Built &built, const Conflict::Side &side, const Point &other, bool isEarlier);

  const ExecPlan &plan;
  const NodeMap &nodes;
  const Constraints constraints = executorConstraints();
  std::vector<RankDraft> ranks;                           ///< threadblocks without operations
  std::vector<std::map<uint32_t, uint32_t>> threadblocks; ///< by rank: numbers by name
  std::vector<Entry> entries;
  std::set<std::pair<RankId, RankId>> accesses; ///< ranks, and those whose memory they access
  /// By rank and threadblock: signals at the begin, waits at the end.
  std::map<std::pair<uint32_t, uint32_t>, Synchronisation> begins, ends;
  std::map<std::pair<uint64_t, uint64_t>, std::vector<Channel>> channels; ///< by two threadblocks
  std::map<std::pair<uint64_t, uint64_t>, std::vector<std::pair<int64_t, int64_t>>> inside;
  std::map<std::pair<uint64_t, RankId>, uint32_t> ports; ///< by threadblock and receiver
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_EMIT_SEQUENCE_H
