//===- TransferTimes.h - Arrival times of small chunks ----------*- C++ -*-===//
//
// The times at which links and ranks are free, for searches that add one transfer after the other.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SEARCH_SYNTH_TRANSFERTIMES_H
#define CCL_LIB_SEARCH_SYNTH_TRANSFERTIMES_H

#include "cclc/Search/Synth/TimedTrees.h"

#include <cmath>

namespace cclc::synth {

/// A transfer over the links from one rank to another. In reversed time its sender is the rank that
/// the links lead to.
struct TimedTransfer {
  RankId sender, receiver;
  bool isReversed = false;
  SimTime addition = SimTime(); ///< for which the receiver of a reduction adds

  RankId from() const { return isReversed ? receiver : sender; }
  RankId to() const { return isReversed ? sender : receiver; }
};

class TransferTimes {
public:
  /// All transfers move \p chunk bytes.
  TransferTimes(const TransferGraph &graph, const MessageCosts &costs, Bytes chunk)
      : graph(graph), costs(costs), linkFree(graph.links().size()), sendFree(graph.ranks()),
        receiveFree(graph.ranks()) {
    for (double one : graph.secondsPerByte())
      busy.push_back(SimTime(int64_t(std::llround(one * 1e12 * double(chunk.count())))));
  }

  /// When the transfer begins if the sender has the chunk at the time \p ready.
  SimTime startOf(const TimedTransfer &transfer, SimTime ready) const {
    SimTime start = std::max(ready, sendFree[transfer.sender.index()]);
    for (const LinkUse &use : graph.uses(transfer.from(), transfer.to()))
      start = std::max(start, linkFree[use.link]);
    return start;
  }
  /// When the receiver may send the chunk itself.
  SimTime arrivalOf(const TimedTransfer &transfer, SimTime ready) const {
    SimTime slowest;
    for (const LinkUse &use : graph.uses(transfer.from(), transfer.to()))
      slowest = std::max(slowest, busy[use.link]);
    SimTime arrival = startOf(transfer, ready) + costs.fixed + transfer.addition +
                      graph.latency(transfer.from(), transfer.to()) + slowest;
    return std::max(arrival, receiveFree[transfer.receiver.index()] + costs.gap);
  }
  /// Occupies links and ranks; returns the arrival.
  SimTime add(const TimedTransfer &transfer, SimTime ready) {
    SimTime start = startOf(transfer, ready), arrival = arrivalOf(transfer, ready);
    for (const LinkUse &use : graph.uses(transfer.from(), transfer.to()))
      linkFree[use.link] =
          start + SimTime(int64_t(double(busy[use.link].picoseconds()) * use.share));
    sendFree[transfer.sender.index()] = start + costs.gap + transfer.addition;
    receiveFree[transfer.receiver.index()] = arrival;
    return arrival;
  }

private:
  const TransferGraph &graph;
  const MessageCosts &costs;
  std::vector<SimTime> busy; ///< how long a chunk occupies a link
  std::vector<SimTime> linkFree, sendFree, receiveFree;
};

} // namespace cclc::synth

#endif // CCL_LIB_SEARCH_SYNTH_TRANSFERTIMES_H
