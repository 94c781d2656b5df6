//===- TimedTrees.h - Spanning trees that grow in time ----------*- C++ -*-===//
//
// With small buffers the latencies of routes and the fixed costs of messages decide, not the load
// of links. So trees grow in simulated time: the next transfer is always the one that arrives
// first, over links and from senders that are free by then (Won et al., TACOS: topology-aware
// collective algorithm synthesizer for distributed machine learning, MICRO 2024). Of transfers that
// arrive at the same time, that of the chunk which the fewest ranks have comes first.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_SYNTH_TIMEDTREES_H
#define CCL_SEARCH_SYNTH_TIMEDTREES_H

#include "cclc/Search/Synth/TreePacking.h"

#include <algorithm>
#include <array>

namespace cclc::synth {

/// The costs of a message beside those of its links.
struct MessageCosts {
  /// The time of a message from the step that sends it to the one that may forward it.
  SimTime fixed;
  /// The time between two sends of a rank, and between two receives.
  SimTime gap;
  /// The time in which a rank adds a received chunk to its own.
  SimTime addition;
  /// The number of peers that a rank may have in each group of queues, by QueueGroup.
  std::array<std::optional<uint32_t>, numQueueGroups> peers;

  bool limitsPeers() const {
    return std::any_of(peers.begin(), peers.end(), [](auto &limit) { return limit.has_value(); });
  }
  static MessageCosts of(const Machine &machine, Protocol protocol);
};

struct TimedTrees {
  std::vector<Tree> trees; ///< in the order of the demands
  SimTime time;            ///< from the first send to the last arrival
};

/// Grows a tree for every demand; all of them begin at the same time and move \p chunk bytes each.
/// A reduction is grown as a broadcast in reversed time. Unset if some rank cannot be reached with
/// the permitted peers.
std::optional<TimedTrees> growTrees(const TransferGraph &graph, ArrayRef<TreeDemand> demands,
                                    const MessageCosts &costs, Bytes chunk);

} // namespace cclc::synth

#endif // CCL_SEARCH_SYNTH_TIMEDTREES_H
