//===- Counters.h - Signals, semaphores and barriers ------------*- C++ -*-===//
//
// Both ends of every memory and port channel and every semaphore are counters: some operations
// increment one, others wait until it is positive and decrement it. This table has the operations
// of each counter and the number of uses by each threadblock in a launch.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_PROOF_COUNTERS_H
#define CCL_MSCCLPP_PROOF_COUNTERS_H

#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

class Counters {
public:
  struct Counter {
    uint32_t initial = 0;
    uint32_t given = 0, taken = 0;             ///< totals of a launch
    uint32_t of;                               ///< number of the channel or semaphore in its rank
    ChannelKind channel = ChannelKind::Memory; ///< unless it is a semaphore
    RankId rank = RankId(0);                   ///< the rank that takes
    std::optional<uint32_t> partner;           ///< the other end of a channel
    bool isSemaphore = false;
    std::vector<std::pair<uint32_t, uint32_t>> takers; ///< (threadblock, number of uses), ascending
    std::vector<uint32_t> givers;                      ///< threadblocks, ascending
  };
  struct Barrier {
    RankId rank;
    uint32_t id;
    std::vector<uint32_t> threadblocks;
  };

  explicit Counters(const Plan &plan);

  ArrayRef<Counter> all() const { return counters; }
  ArrayRef<Barrier> barriers() const { return theBarriers; }
  /// The counter that number \p index of \p op gives to or takes from; none for a signal on a
  /// channel without another end.
  std::optional<uint32_t> counter(const Threadblock &tb, const Operation &op, uint32_t index) const;
  uint32_t barrier(const Threadblock &tb, const Operation &op) const;
  /// The number of times that \p threadblock takes from \p counter in a launch.
  uint32_t takenBy(uint32_t counter, uint32_t threadblock) const;

  /// Reports barriers whose threadblocks disagree about the participants.
  LogicalResult checkBarriers(DiagnosticEngine &diags) const;
  /// Reports counters that a launch changes, at the wait for a missing signal or at the signal that
  /// is not taken.
  LogicalResult checkBalance(DiagnosticEngine &diags) const;
  /// "channel 2 of r1 from r0", "port channel 2 of r1 from r0" or "semaphore 3 of r1".
  std::string name(uint32_t counter) const;

private:
  /// An operation that gives to or takes from a counter; both are indices into the plan.
  struct Use {
    uint32_t threadblock, op;
  };
  struct Uses {
    std::optional<Use> taker; ///< the last
    /// The first that gives again before its threadblock has moved data or waited, else the last.
    std::optional<Use> giver;
    bool isRepeated = false;
  };
  Uses usesOf(uint32_t counter) const;
  void pairChannels(ChannelKind kind);
  /// The counter of the first channel of \p rank.
  uint32_t firstChannel(RankId rank, ChannelKind kind) const {
    return firstOfRank[rank.index()] +
           (kind == ChannelKind::Port
                ? plan.channels(plan.ranks()[rank.index()], ChannelKind::Memory).size()
                : 0);
  }

  const Plan &plan;
  std::vector<uint32_t> firstOfRank; ///< counter
  std::vector<Counter> counters;     ///< rank after rank: memory and port channels, semaphores
  std::vector<Barrier> theBarriers;  ///< by rank and id
};

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_PROOF_COUNTERS_H
