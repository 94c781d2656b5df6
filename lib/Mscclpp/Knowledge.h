//===- Knowledge.h - Who knows of whose progress ----------------*- C++ -*-===//
//
// The clocks of Races.h: what every threadblock knows, and how it travels over
// signals, semaphores, barriers and packets.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_KNOWLEDGE_H
#define CCL_LIB_MSCCLPP_KNOWLEDGE_H

#include "Counters.h"
#include "DataFlow.h"

#include <deque>

namespace cclc::mscclpp {

/// By threadblock, then by caller: how many of its segments are over.
using Clock = std::vector<uint32_t>;
void join(Clock &clock, const Clock &other);

class Knowledge {
public:
  Knowledge(const Plan &plan, const Counters &counters);

  /// A caller's turn between two launches of a rank, and what it knows.
  uint32_t caller(RankId rank) const { return numThreadblocks + rank.index(); }
  void beginCaller(RankId rank);
  void endCaller(RankId rank);
  /// Another launch of all ranks: counters are as they were before it.
  void beginLaunch() { resetFlows(); }

  /// Whether segment \p segment of \p other is over for \p self; both may be callers.
  bool knows(uint32_t self, uint32_t other, uint32_t segment) const {
    return all[self].full[other] > segment;
  }
  uint32_t segment(uint32_t self) const { return all[self].full[self]; }

  /// What \p self, which may be a caller, has waited for when its segment begins.
  DataFlow::Moment moment(uint32_t self) const { return all[self].moment; }
  DataFlow &dataFlow() { return graph; }

  /// \p threadblock executes an operation that synchronises.
  void execute(uint32_t threadblock, const Operation &op);
  /// What a packet of \p threadblock tells, and what it tells to another one: the
  /// same operation may read and write packets.
  const Clock &packet(uint32_t threadblock) const { return all[threadblock].weak; }
  void readPacket(uint32_t threadblock, const Clock &packet);
  /// \p lane of \p threadblock waits for packets.
  void wait(uint32_t threadblock, DataFlow::Lane lane) {
    all[threadblock].newLanes.push_back(lane);
  }

  /// Whether a counter turned out to be given to or taken from in no fixed order,
  /// other than assumed: what was found so far may be wrong. Another pass knows.
  bool mustRepeat() const { return repeat; }
  /// Marks counters that are taken from in no fixed order; whether one was not yet.
  bool addContested(std::vector<bool> &contested) const;
  /// From the start, with what is known about the order on counters.
  void reset();

private:
  struct State {
    Clock full, weak;
    DataFlow::Moment moment = DataFlow::start;
    Clock newFull, newWeak; ///< from the next segment on; empty: nothing
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
  /// A counter in the launch that is executed.
  struct Flow {
    bool givesInOrder = true, takesInOrder = true;
    std::deque<Telling> tellings; ///< that were not taken yet
    Telling joined;               ///< of all
    uint32_t given = 0, taken = 0;
    std::vector<uint32_t> takenBy; ///< by position among the takers
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
  std::vector<uint32_t> met; ///< by barrier: threadblocks that went on
  std::vector<Telling> meetings;
  DataFlow graph;
  bool repeat = false;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_KNOWLEDGE_H
