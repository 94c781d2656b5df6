//===- Knowledge.h - Vector clocks of a plan of MSCCL++ ---------*- C++ -*-===//
//
// The clocks of Races.h: a vector clock for every threadblock, which signals, semaphores, barriers
// and packets propagate.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_KNOWLEDGE_H
#define CCL_LIB_MSCCLPP_KNOWLEDGE_H

#include "Counters.h"
#include "DataFlow.h"

#include <deque>

namespace cclc::mscclpp {

/// By threadblock, then by caller: the number of its completed segments.
using Clock = std::vector<uint32_t>;
void join(Clock &clock, const Clock &other);

class Knowledge {
public:
  Knowledge(const Plan &plan, const Counters &counters);

  /// The index of a rank's caller, which accesses the buffers between two launches.
  uint32_t caller(RankId rank) const { return numThreadblocks + rank.index(); }
  void beginCaller(RankId rank);
  void endCaller(RankId rank);
  /// Begins another launch of all ranks, with the same counters as before the last one.
  void beginLaunch() { resetFlows(); }

  /// Whether segment \p segment of \p other happens before the current segment of \p self; both may
  /// be callers.
  bool knows(uint32_t self, uint32_t other, uint32_t segment) const {
    return all[self].full[other] > segment;
  }
  uint32_t segment(uint32_t self) const { return all[self].full[self]; }

  /// The moment at which the current segment of \p self, which may be a caller, began.
  DataFlow::Moment moment(uint32_t self) const { return all[self].moment; }
  DataFlow &dataFlow() { return graph; }

  /// Executes a synchronising operation of \p threadblock.
  void execute(uint32_t threadblock, const Operation &op);
  /// The clock that packets of \p threadblock carry, and the join of such a clock by a reader: one
  /// operation may do both.
  const Clock &packet(uint32_t threadblock) const { return all[threadblock].weak; }
  void readPacket(uint32_t threadblock, const Clock &packet);
  /// Records that \p lane of \p threadblock waits for packets.
  void wait(uint32_t threadblock, DataFlow::Lane lane) {
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
    Clock full, weak;
    DataFlow::Moment moment = DataFlow::start;
    Clock newFull, newWeak; ///< effective from the next segment on; may be empty
    std::vector<DataFlow::Moment> newMoments = {};
    std::vector<DataFlow::Lane> newLanes = {};
  };
  struct Telling {
    Clock full, weak;
    std::vector<DataFlow::Moment> moments;
  };
  struct Last {
    uint32_t threadblock, segment;
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

  void resetFlows();
  void learn(State &state, const Telling &telling, bool relaxed);
  void endSegment(uint32_t threadblock);
  void give(uint32_t threadblock, uint32_t counter, bool relaxed);
  void take(uint32_t threadblock, uint32_t counter, bool relaxed);
  void meet(uint32_t threadblock, uint32_t barrier);
  bool inOrder(uint32_t threadblock, std::optional<Last> &last);

  const Plan &plan;
  const Counters &counters;
  uint32_t numThreadblocks;
  std::vector<State> all;
  std::vector<Flow> flows;
  std::vector<uint32_t> met; ///< by barrier: threadblocks that have passed
  std::vector<Telling> meetings;
  DataFlow graph;
  bool repeat = false;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_KNOWLEDGE_H
