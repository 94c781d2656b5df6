//===- Knowledge.h - Vector clocks of a plan of MSCCL++ ---------*- C++ -*-===//
//
// The clocks of Races.h: a vector clock for every threadblock, which signals, semaphores, barriers
// and packets propagate. Three kinds of actors besides threadblocks access memory:
//
//   * the caller of each rank, between two launches;
//   * for each port channel of a threadblock a proxy, which transfers data and signals in the order
//     in which the threadblock pushes them, but at any later time, even after the launch. It knows
//     what the threadblock knew at each push; the threadblock learns of a transfer only by a flush;
//   * for each threadblock that uses switch channels its accesses through the switch, which have
//     the scope of the system: even relaxed signals publish those of earlier segments.
//
// A rank that has begun a launch has completed the earlier ones, and what its caller knew is known.
// So clocks have the segments of the current launch alone, and a set of ranks stands for the rest.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_PROOF_KNOWLEDGE_H
#define CCL_LIB_MSCCLPP_PROOF_KNOWLEDGE_H

#include "DataFlow.h"
#include "VectorClock.h"
#include "cclc/Mscclpp/Proof/Counters.h"

#include "llvm/ADT/SmallBitVector.h"

#include <deque>

namespace cclc::mscclpp {

/// What a packet or a relaxed signal shows of its launch.
struct Progress {
  llvm::SmallBitVector begun; ///< the ranks that have begun it
  VectorClock switched;       ///< the accesses through switches that are visible
  void join(const Progress &other) {
    begun |= other.begun;
    switched.join(other.switched);
  }
};

class Knowledge {
public:
  Knowledge(const Plan &plan, const Counters &counters);

  /// The index of a rank's caller, which accesses the buffers between two launches.
  uint32_t caller(RankId rank) const { return numThreadblocks + rank.index(); }
  /// The proxy of port channel \p channel of a threadblock.
  uint32_t proxy(uint32_t threadblock, uint32_t channel) const {
    return firstActor[threadblock] + channel;
  }
  /// The accesses of a threadblock through its switch channels, if it has some.
  uint32_t switchOf(uint32_t threadblock) const { return firstActor[threadblock + 1] - 1; }
  bool isProxy(uint32_t actor) const { return actor >= firstActor.front() && !isOfSwitch(actor); }
  /// The threadblock that an actor is or belongs to, unless it is a caller.
  uint32_t threadblockOf(uint32_t actor) const {
    return actor < numThreadblocks ? actor : owners[actor - firstActor.front()];
  }
  void beginCaller(RankId rank);
  void endCaller(RankId rank);
  /// Begins another launch of all ranks, with the same counters as before the last one.
  void beginLaunch();

  /// Whether segment \p segment of \p other happens before the current segment of \p self; both may
  /// be callers.
  bool knows(uint32_t self, uint32_t other, uint32_t segment) const;
  uint32_t segment(uint32_t self) const { return segments[self]; }

  /// The moment at which the current segment of \p self began.
  DataFlow::Moment moment(uint32_t self) const { return state(self).moment; }
  DataFlow &dataFlow() { return graph; }

  /// Executes the synchronisation of an operation of \p threadblock, after its transfers.
  void execute(uint32_t threadblock, const Operation &op);
  /// Begins and ends a transfer that \p threadblock pushes to \p proxy.
  void beginTransfer(uint32_t threadblock, uint32_t proxy);
  void endTransfer(uint32_t proxy) { advance(proxy); }
  /// Synchronises the threads of a threadblock.
  void endSegment(uint32_t threadblock);
  /// What packets of \p actor show, and what a reader learns from one: one operation may do both.
  const Progress &packet(uint32_t actor) const { return state(actor).progress; }
  void readPacket(uint32_t threadblock, const Progress &packet) {
    all[threadblock].newProgress.join(packet);
  }
  /// Records that \p lane of \p threadblock waits for packets.
  void wait(uint32_t threadblock, DataFlow::Lane lane) {
    graph.wait(lane, plan.threadblocks()[threadblock].rank);
    all[threadblock].newLanes.push_back(lane);
  }

  /// Whether the gives or takes of a counter turned out to have no fixed order, contrary to the
  /// assumption. The results so far may be wrong, and the pass must be repeated.
  bool mustRepeat() const { return repeat; }
  /// Marks counters whose takes have no fixed order. Returns whether one is new.
  bool addContested(std::vector<bool> &contested) const;
  /// Restarts, keeping the information about the order on counters.
  void reset();

private:
  struct State {
    VectorClock full = {}; ///< segments of this launch, and of the caller those of all launches
    Progress progress = {};
    DataFlow::Moment moment = DataFlow::start;
    VectorClock newFull = {}; ///< effective from the next segment on, as all of these
    Progress newProgress = {};
    std::vector<DataFlow::Moment> newMoments = {};
    std::vector<DataFlow::Lane> newLanes = {};
  };
  struct Telling {
    VectorClock full = {}; ///< empty if it is relaxed
    Progress progress = {};
    std::vector<DataFlow::Moment> moments = {};
  };
  struct Last {
    uint32_t actor, segment;
  };
  /// The state of a counter in the current launch.
  struct Flow {
    bool givesInOrder = true, takesInOrder = true;
    std::deque<Telling> tellings; ///< signals that were not taken yet
    Telling joined;               ///< join of all signals
    uint32_t given = 0, taken = 0;
    std::vector<uint32_t> takenBy; ///< by index among the takers
    std::optional<Last> lastGive, lastTake;
  };

  /// The state of an actor; switch accesses share that of their threadblock.
  const State &state(uint32_t actor) const { return all[holder(actor)]; }
  uint32_t holder(uint32_t actor) const { return isOfSwitch(actor) ? threadblockOf(actor) : actor; }
  bool usesSwitch(uint32_t threadblock) const {
    return plan.threadblocks()[threadblock].switches.count;
  }
  bool isOfSwitch(uint32_t actor) const {
    if (actor < firstActor.front())
      return false;
    uint32_t threadblock = threadblockOf(actor);
    return usesSwitch(threadblock) && actor == switchOf(threadblock);
  }
  uint32_t numActors() const { return firstActor.back(); }
  bool isCaller(uint32_t actor) const {
    return actor >= numThreadblocks && actor < firstActor.front();
  }
  void placeActors();
  void advance(uint32_t actor);
  void beginLaunch(uint32_t actor, RankId rank);
  void resetFlows();
  void learn(State &state, const Telling &telling, bool relaxed);
  void give(uint32_t actor, uint32_t counter, bool relaxed);
  void take(uint32_t threadblock, uint32_t counter, bool relaxed);
  void passBarrier(uint32_t threadblock, uint32_t barrier);
  bool inOrder(uint32_t actor, std::optional<Last> &last);

  const Plan &plan;
  const Counters &counters;
  uint32_t numThreadblocks;
  /// By threadblock: its first proxy, after all callers; one more entry for the end. The last actor
  /// of a threadblock is that of its switch channels.
  std::vector<uint32_t> firstActor;
  std::vector<uint32_t> owners; ///< threadblocks, by proxy or switch actor
  /// By actor: its place in clocks. Those that hear of each other are neighbours.
  std::vector<uint32_t> places;
  std::vector<uint32_t> segments;  ///< by actor: its current one
  std::vector<State> all;          ///< by actor
  std::vector<VectorClock> before; ///< by rank: what its caller knew when this launch began
  std::vector<Flow> flows;
  std::vector<uint32_t> passed; ///< by barrier: threadblocks that have passed
  std::vector<Telling> barrierTellings;
  DataFlow graph;
  bool repeat = false;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_PROOF_KNOWLEDGE_H
