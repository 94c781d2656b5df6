//===- TimedTrees.cpp - Spanning trees that grow in time ------------------===//
//
// A transfer is a candidate as soon as its sender has the chunk. Its arrival time can only rise
// later, when links and ranks become busy, so that a candidate whose time is still the stored one
// is the earliest of all.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Synth/TimedTrees.h"

#include "TransferTimes.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace cclc;
using namespace cclc::synth;

MessageCosts MessageCosts::of(const Machine &machine, Protocol protocol) {
  MessageCosts costs;
  if (const ProtocolModel *model = machine.find(protocol)) {
    costs.fixed = model->stepLatency + model->sliceLatency + model->trip.cycle;
  } else {
    const QueueModel &queue = machine.queue;
    SimTime send = machine.pe.dispatch + queue.sendOverhead + queue.write.latency;
    SimTime receive = machine.pe.dispatch + queue.receiveOverhead + queue.read.latency;
    costs.fixed = send + receive;
    // Without a limit to the streams, each connection has a threadblock of its own.
    if (machine.pe.streams)
      costs.gap =
          SimTime(std::max(send, receive).picoseconds() / std::max(*machine.pe.streams, 1u));
  }
  costs.addition = machine.pe.math.cycle;
  if (!machine.directionQueues.multiplex)
    costs.peers = machine.directionQueues.number;
  return costs;
}

namespace {
class Grower {
public:
  Grower(const TransferGraph &graph, ArrayRef<TreeDemand> demands, const MessageCosts &costs,
         Bytes chunk)
      : graph(graph), costs(costs), ranks(graph.ranks()), demands(demands),
        times(graph, costs, chunk), since(demands.size() * ranks, SimTime::max()),
        copies(demands.size(), 1), arePeers(size_t(ranks) * ranks), peers(ranks) {}

  std::optional<TimedTrees> grow();

private:
  struct Candidate {
    SimTime arrival;
    uint32_t copies;   ///< when the sender got the chunk
    uint32_t distance; ///< from sender to receiver in the order of the ranks, to vary the receivers
    uint32_t demand, from, to;
    auto key() const { return std::tie(arrival, copies, distance, demand, from, to); }
    bool operator>(const Candidate &other) const { return key() > other.key(); }
  };

  SimTime &has(uint32_t demand, uint32_t rank) { return since[size_t(demand) * ranks + rank]; }
  TimedTransfer transferOf(const Candidate &candidate) const {
    bool isReversed = demands[candidate.demand].flow == Flow::ToRoot;
    return {RankId(candidate.from), RankId(candidate.to), isReversed,
            isReversed ? costs.addition : SimTime()};
  }
  SimTime arrivalOf(const Candidate &candidate) {
    return times.arrivalOf(transferOf(candidate), has(candidate.demand, candidate.from));
  }
  bool mayBePeers(uint32_t a, uint32_t b) const;
  void addCandidates(uint32_t demand, uint32_t from);
  void take(const Candidate &candidate);

  const TransferGraph &graph;
  const MessageCosts &costs;
  uint32_t ranks;
  ArrayRef<TreeDemand> demands;
  TransferTimes times;
  std::vector<SimTime> since; ///< when a rank has the chunk of a demand; max(): not yet
  std::vector<uint32_t> copies;
  std::vector<bool> arePeers;
  std::vector<std::array<uint32_t, numQueueGroups>> peers;
  std::vector<Candidate> candidates; ///< a heap
  TimedTrees result;
};

bool Grower::mayBePeers(uint32_t a, uint32_t b) const {
  if (arePeers[size_t(a) * ranks + b])
    return true;
  size_t group = size_t(graph.queueGroup(RankId(a), RankId(b)));
  const std::optional<uint32_t> &limit = costs.peers[group];
  return !limit || (peers[a][group] < *limit && peers[b][group] < *limit);
}

void Grower::addCandidates(uint32_t demand, uint32_t from) {
  for (uint32_t to = 0; to < ranks; ++to) {
    Candidate candidate{SimTime(), copies[demand], (to + ranks - from) % ranks, demand, from, to};
    TimedTransfer transfer = transferOf(candidate);
    if (has(demand, to) != SimTime::max() || !graph.isConnected(transfer.from(), transfer.to()))
      continue;
    candidate.arrival = arrivalOf(candidate);
    candidates.push_back(candidate);
    std::push_heap(candidates.begin(), candidates.end(), std::greater<>());
  }
}

void Grower::take(const Candidate &candidate) {
  has(candidate.demand, candidate.to) =
      times.add(transferOf(candidate), has(candidate.demand, candidate.from));
  ++copies[candidate.demand];
  if (!arePeers[size_t(candidate.from) * ranks + candidate.to]) {
    size_t group = size_t(graph.queueGroup(RankId(candidate.from), RankId(candidate.to)));
    for (auto [a, b] :
         {std::pair(candidate.from, candidate.to), std::pair(candidate.to, candidate.from)}) {
      arePeers[size_t(a) * ranks + b] = true;
      ++peers[a][group];
    }
  }
  result.trees[candidate.demand].branches.push_back({RankId(candidate.from), RankId(candidate.to)});
  result.time = std::max(result.time, candidate.arrival);
  addCandidates(candidate.demand, candidate.to);
}

std::optional<TimedTrees> Grower::grow() {
  for (uint32_t d = 0; d < demands.size(); ++d) {
    result.trees.push_back({demands[d].root, demands[d].flow, {}});
    has(d, demands[d].root.index()) = SimTime();
  }
  for (uint32_t d = 0; d < demands.size(); ++d)
    addCandidates(d, demands[d].root.index());
  while (!candidates.empty()) {
    std::pop_heap(candidates.begin(), candidates.end(), std::greater<>());
    Candidate next = candidates.back();
    candidates.pop_back();
    if (has(next.demand, next.to) != SimTime::max() || !mayBePeers(next.from, next.to))
      continue;
    SimTime arrival = arrivalOf(next);
    if (arrival == next.arrival) {
      take(next);
      continue;
    }
    next.arrival = arrival;
    candidates.push_back(next);
    std::push_heap(candidates.begin(), candidates.end(), std::greater<>());
  }
  bool complete = llvm::all_of(result.trees,
                               [&](const Tree &tree) { return tree.branches.size() + 1 == ranks; });
  return complete ? std::optional(std::move(result)) : std::nullopt;
}
} // namespace

std::optional<TimedTrees> synth::growTrees(const TransferGraph &graph, ArrayRef<TreeDemand> demands,
                                           const MessageCosts &costs, Bytes chunk) {
  return Grower(graph, demands, costs, chunk).grow();
}
