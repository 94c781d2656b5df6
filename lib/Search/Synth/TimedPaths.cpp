//===- TimedPaths.cpp - Paths of chunks that grow in time -----------------===//
//
// The earliest arrival is found by the algorithm of Dijkstra, with the times at which links and
// ranks are free for the first transfer after the last one that was chosen. These times only rise,
// so that a path whose arrival is still the stored one is the earliest of all. Later transfers of a
// path by way of other ranks occupy links that are still idle for a while, and each costs the ranks
// a message. So such a path has to arrive clearly earlier than the direct transfer.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Synth/TimedPaths.h"

#include "TransferTimes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <queue>
#include <tuple>

using namespace cclc;
using namespace cclc::synth;

namespace {
/// The time of the direct transfer over the latest arrival of a path by way of other ranks, in
/// tenths.
constexpr int64_t worthwhileTenths = 11;

class PathGrower {
public:
  PathGrower(const TransferGraph &graph, ArrayRef<ChunkDemand> demands, const MessageCosts &costs,
             Bytes chunk, bool inReverse)
      : graph(graph), limited(graph), demands(demands), times(graph, costs, chunk),
        limits(costs.limitsPeers()), inReverse(inReverse), arrivals(graph.ranks()),
        before(graph.ranks()) {
    if (limits)
      limited.limitPeers(costs.peers);
  }

  std::optional<TimedPaths> grow();

private:
  struct Candidate {
    SimTime arrival;
    uint32_t rotation; ///< the distance of the ranks in their order, to vary the receivers
    uint32_t demand;
    auto key() const { return std::tie(arrival, rotation, demand); }
    bool operator>(const Candidate &other) const { return key() > other.key(); }
  };

  bool mayTransfer(const TimedTransfer &transfer) const {
    return limits ? limited.isDirect(transfer.from(), transfer.to())
                  : graph.isConnected(transfer.from(), transfer.to());
  }
  TimedTransfer transferOf(uint32_t sender, uint32_t receiver) const {
    return {RankId(sender), RankId(receiver), inReverse};
  }
  /// Where the search begins and ends.
  std::pair<uint32_t, uint32_t> endsOf(uint32_t demand) const {
    uint32_t from = demands[demand].from.index(), to = demands[demand].to.index();
    return inReverse ? std::pair(to, from) : std::pair(from, to);
  }
  SimTime search(uint32_t demand);
  void take(uint32_t demand);

  const TransferGraph &graph;
  TransferGraph limited; ///< the transfers between peers
  ArrayRef<ChunkDemand> demands;
  TransferTimes times;
  bool limits, inReverse;
  // Of the last search, by rank.
  std::vector<SimTime> arrivals;
  std::vector<uint32_t> before; ///< the sender of the transfer that arrives
  TimedPaths result;
};

/// The earliest arrival of the chunk; max() if it cannot arrive.
SimTime PathGrower::search(uint32_t demand) {
  const auto [first, last] = endsOf(demand);
  TimedTransfer direct = transferOf(first, last);
  SimTime directly = mayTransfer(direct) ? times.arrivalOf(direct, SimTime()) : SimTime::max();
  std::fill(arrivals.begin(), arrivals.end(), SimTime::max());
  using Entry = std::pair<SimTime, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  auto expand = [&, first = first, last = last](uint32_t rank) {
    for (uint32_t next = 0; next < graph.ranks(); ++next) {
      TimedTransfer transfer = transferOf(rank, next);
      if (next == rank || (rank == first && next == last) || !mayTransfer(transfer))
        continue;
      SimTime arrival = times.arrivalOf(transfer, arrivals[rank]);
      // A rank that the chunk reaches after its destination is not on the path.
      if (arrival >= arrivals[next] || arrival >= arrivals[last])
        continue;
      arrivals[next] = arrival;
      before[next] = rank;
      queue.push({arrival, next});
    }
  };
  arrivals[first] = SimTime();
  before[last] = first;
  if (directly != SimTime::max())
    arrivals[last] = SimTime(directly.picoseconds() / worthwhileTenths * 10);
  expand(first);
  while (!queue.empty()) {
    auto [arrival, rank] = queue.top();
    queue.pop();
    if (rank == last)
      break;
    if (arrival == arrivals[rank])
      expand(rank);
  }
  return before[last] == first ? directly : arrivals[last];
}

/// Takes the path of the last search, that of \p demand.
void PathGrower::take(uint32_t demand) {
  auto [first, last] = endsOf(demand);
  ChunkPath path = {RankId(last)};
  for (uint32_t rank = last; rank != first; rank = before[rank])
    path.push_back(RankId(before[rank]));
  std::reverse(path.begin(), path.end());
  SimTime ready;
  for (size_t i = 0; i + 1 < path.size(); ++i)
    ready = times.add(transferOf(path[i].index(), path[i + 1].index()), ready);
  if (inReverse)
    std::reverse(path.begin(), path.end());
  result.time = std::max(result.time, ready);
  result.paths[demand] = std::move(path);
  result.order.push_back(demand);
}

std::optional<TimedPaths> PathGrower::grow() {
  result.paths.resize(demands.size());
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  for (uint32_t i = 0; i < demands.size(); ++i) {
    auto [first, last] = endsOf(i);
    candidates.push({search(i), (last + graph.ranks() - first) % graph.ranks(), i});
  }
  while (!candidates.empty()) {
    Candidate next = candidates.top();
    candidates.pop();
    SimTime arrival = search(next.demand);
    if (arrival == SimTime::max())
      return std::nullopt;
    if (arrival == next.arrival) {
      take(next.demand);
      continue;
    }
    next.arrival = arrival;
    candidates.push(next);
  }
  return std::move(result);
}
} // namespace

std::optional<TimedPaths> synth::growPaths(const TransferGraph &graph,
                                           ArrayRef<ChunkDemand> demands, const MessageCosts &costs,
                                           Bytes chunk, bool inReverse) {
  return PathGrower(graph, demands, costs, chunk, inReverse).grow();
}
