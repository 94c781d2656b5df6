//===- TransferGraph.h - Transfers between ranks and their links -*- C++ -*-===//
//
// What a synthesised algorithm is made of: the transfers between two ranks of a group, each with
// the links that its route crosses. A machine has fixed routes, so that a transfer cannot choose
// its links; an algorithm chooses its transfers.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_SYNTH_TRANSFERGRAPH_H
#define CCL_SEARCH_SYNTH_TRANSFERGRAPH_H

#include "cclc/Target/Machine.h"

namespace cclc::synth {

/// A link of a transfer, and the part of the data of the transfer that crosses it: 1, or less if
/// the messages of a connection take several routes in turn.
struct LinkUse {
  uint32_t link; ///< an index into TransferGraph::links
  double share;
};

class TransferGraph {
public:
  /// The graph of the ranks at \p endpoints.
  TransferGraph(const Machine &machine, ArrayRef<EndpointId> endpoints);

  uint32_t ranks() const { return numRanks; }
  /// The links with a limited rate that some transfer crosses.
  ArrayRef<LinkId> links() const { return theLinks; }
  /// The time in seconds that a byte takes on each of these links.
  ArrayRef<double> secondsPerByte() const { return perByte; }

  /// The links of the transfer between two different ranks.
  ArrayRef<LinkUse> uses(RankId from, RankId to) const {
    size_t pair = size_t(from.index()) * numRanks + to.index();
    return ArrayRef(theUses).slice(firstUse[pair], firstUse[pair + 1] - firstUse[pair]);
  }
  /// Whether there is a route between two ranks that does not pass a third one, and the ranks may
  /// be peers; if there is only a longer route, the third rank may as well forward the data.
  bool isDirect(RankId from, RankId to) const {
    return direct[size_t(from.index()) * numRanks + to.index()];
  }
  /// Whether there is any route between two different ranks.
  bool isConnected(RankId from, RankId to) const {
    return latencies[size_t(from.index()) * numRanks + to.index()] != SimTime::max();
  }
  /// The latency of an empty message; that of the slowest of several routes.
  SimTime latency(RankId from, RankId to) const {
    return latencies[size_t(from.index()) * numRanks + to.index()];
  }
  /// The queues of a PE that a connection of two different ranks takes on AHBM: the outermost level
  /// at which they differ.
  QueueGroup queueGroup(RankId a, RankId b) const;
  /// Whether some transfer divides its data over several routes.
  bool isDivided() const { return divided; }

  /// Adds the streams of the PEs to the resources that transfers load, if they limit messages of
  /// many slots (rules 12 and 13 of docs/machine-model.md).
  void addStreams(const Machine &machine);
  bool hasStreams() const { return streamPerByte > 0; }
  /// Limits the peers of every rank to the queues of its PE: of the direct transfers, those with
  /// the lowest latencies remain that connect all ranks, then others. \p limits: by QueueGroup.
  void limitPeers(ArrayRef<std::optional<uint32_t>> limits);

  /// The links and, after them, the streams of the ranks.
  uint32_t numResources() const { return theLinks.size() + (hasStreams() ? numRanks : 0); }
  uint32_t streamOf(RankId rank) const { return theLinks.size() + rank.index(); }
  /// The time in seconds that a byte takes on a resource; on a stream at least.
  double secondsOn(uint32_t resource) const {
    return resource < perByte.size() ? perByte[resource] : streamPerByte;
  }
  /// Calls \p fn with every resource that a transfer loads and the share of secondsOn() that a byte
  /// takes there.
  template <class Fn> void forEachLoad(RankId from, RankId to, bool reduces, Fn fn) const {
    for (const LinkUse &use : uses(from, to))
      fn(use.link, use.share);
    if (hasStreams())
      fn(streamOf(to),
         (receiveSeconds(from, to) + (reduces ? reductionPerByte : 0)) / streamPerByte);
  }
  /// The time in seconds per byte for which a rank that sends the same data again occupies its
  /// stream, until the DMA engine is free (rule 15).
  double resendSeconds() const { return resendPerByte; }
  /// The largest number of direct transfers on the shortest way between two ranks; unset if there
  /// is no way between some.
  std::optional<uint32_t> diameter() const;

private:
  double receiveSeconds(RankId from, RankId to) const {
    SimTime latency = latencies[size_t(from.index()) * numRanks + to.index()];
    return receivePerByte + creditPerByte * double(latency.picoseconds());
  }

  uint32_t numRanks;
  bool divided = false;
  std::vector<LinkId> theLinks;
  std::vector<double> perByte;
  std::vector<LinkUse> theUses;
  std::vector<size_t> firstUse;   ///< by pair of ranks, and the end
  std::vector<bool> direct;       ///< by pair of ranks
  std::vector<SimTime> latencies; ///< by pair of ranks; max() without a route
  std::vector<EndpointId> endpoints;
  std::vector<uint32_t> levels; ///< the endpoints of a member, by level
  /// Of streams, in seconds per byte: the least of a transfer, what all transfers take, what each
  /// picosecond of latency adds, and reductions. 0: streams limit nothing.
  double streamPerByte = 0, receivePerByte = 0, creditPerByte = 0, reductionPerByte = 0;
  double resendPerByte = 0;
};

} // namespace cclc::synth

#endif // CCL_SEARCH_SYNTH_TRANSFERGRAPH_H
