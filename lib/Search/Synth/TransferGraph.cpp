//===- TransferGraph.cpp - Transfers between ranks and their links --------===//
//
// Links are numbered in the order in which the routes of the pairs of ranks first cross them.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Synth/TransferGraph.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::synth;

namespace {
/// The routes of a transfer, with equal shares of its data. Connections of an ecmp machine take one
/// of several routes each; that of channel 0 stands for all.
std::vector<Path> routesOf(const Machine &machine, EndpointId from, EndpointId to) {
  std::vector<Path> routes = machine.routes().alternatives(machine, from, to, ChannelId(0));
  if (!routes.empty())
    return routes;
  Path route;
  machine.routes().routeOnChannel(machine, from, to, ChannelId(0), route);
  if (!route.empty())
    routes.push_back(std::move(route));
  return routes;
}
} // namespace

TransferGraph::TransferGraph(const Machine &machine, ArrayRef<EndpointId> endpoints)
    : numRanks(endpoints.size()), endpoints(endpoints) {
  uint32_t members = 1;
  for (const GridLevel &level : llvm::reverse(machine.geometry().levels))
    levels.insert(levels.begin(), members *= level.size());
  std::vector<bool> isRank(machine.nodes().size());
  for (EndpointId endpoint : endpoints)
    isRank[machine.endpointNode(endpoint).index()] = true;
  std::vector<OptionalIndex> numberOf(machine.links().size());
  std::vector<LinkUse> uses;
  firstUse.push_back(0);
  direct.reserve(size_t(numRanks) * numRanks);
  for (uint32_t from = 0; from < numRanks; ++from)
    for (uint32_t to = 0; to < numRanks; ++to) {
      std::vector<Path> routes;
      if (from != to)
        routes = routesOf(machine, endpoints[from], endpoints[to]);
      bool passesRank = routes.empty();
      SimTime slowest = routes.empty() ? SimTime::max() : SimTime();
      divided |= routes.size() > 1;
      uses.clear();
      for (const Path &route : routes) {
        SimTime latency;
        for (LinkId id : route) {
          const Link &link = machine.link(id);
          latency += machine.latency(link);
          passesRank |= id != route.back() && isRank[link.to.index()];
          if (link.bandwidth.isUnlimited())
            continue;
          OptionalIndex &number = numberOf[id.index()];
          if (!number) {
            number = uint32_t(theLinks.size());
            theLinks.push_back(id);
            perByte.push_back(1.0 / double(link.bandwidth.bytesPerSecond()));
          }
          double share = 1.0 / double(routes.size());
          auto same = std::find_if(uses.begin(), uses.end(),
                                   [&](const LinkUse &use) { return use.link == *number; });
          if (same == uses.end())
            uses.push_back({*number, share});
          else
            same->share += share;
        }
        slowest = std::max(slowest, latency);
      }
      theUses.insert(theUses.end(), uses.begin(), uses.end());
      firstUse.push_back(theUses.size());
      direct.push_back(!passesRank);
      latencies.push_back(slowest);
    }
}

void TransferGraph::addStreams(const Machine &machine) {
  const QueueModel &queue = machine.queue;
  if (!machine.pe.streams || machine.hasProtocols() || queue.reads != OneSidedReads::Off ||
      queue.slotSize == Bytes() || numRanks < 2)
    return;
  const double slot = double(queue.slotSize.count());
  const double streams = std::max(*machine.pe.streams, 1u);
  auto perSlot = [&](SimTime time) { return double(time.picoseconds()) * 1e-12 / slot / streams; };
  receivePerByte = perSlot(queue.receiveOverhead + queue.read.duration(queue.slotSize));
  if (queue.creditBlocksReceiver)
    creditPerByte = perSlot(SimTime(1));
  reductionPerByte = perSlot(machine.pe.math.duration(queue.slotSize));
  resendPerByte = perSlot(transferTime(queue.slotSize, machine.pe.dmaRate));
  SimTime nearest = *std::min_element(latencies.begin(), latencies.end());
  streamPerByte = receivePerByte + creditPerByte * double(nearest.picoseconds());
}

void TransferGraph::limitPeers(ArrayRef<std::optional<uint32_t>> limits) {
  struct Pair {
    SimTime latency;
    uint32_t a, b;
    auto operator<=>(const Pair &) const = default;
  };
  std::vector<Pair> pairs;
  for (uint32_t a = 0; a < numRanks; ++a)
    for (uint32_t b = a + 1; b < numRanks; ++b)
      if (isDirect(RankId(a), RankId(b)) || isDirect(RankId(b), RankId(a)))
        pairs.push_back(
            {std::min(latency(RankId(a), RankId(b)), latency(RankId(b), RankId(a))), a, b});
  llvm::sort(pairs);
  std::vector<bool> kept(direct.size());
  std::vector<std::array<uint32_t, numQueueGroups>> peers(numRanks);
  llvm::IntEqClasses connected(numRanks);
  for (bool connects : {true, false})
    for (const Pair &pair : pairs) {
      size_t there = size_t(pair.a) * numRanks + pair.b, back = size_t(pair.b) * numRanks + pair.a;
      auto group = size_t(queueGroup(RankId(pair.a), RankId(pair.b)));
      if (kept[there] || (connects && connected.findLeader(pair.a) == connected.findLeader(pair.b)))
        continue;
      if (limits[group] &&
          (peers[pair.a][group] >= *limits[group] || peers[pair.b][group] >= *limits[group]))
        continue;
      ++peers[pair.a][group];
      ++peers[pair.b][group];
      kept[there] = kept[back] = true;
      connected.join(pair.a, pair.b);
    }
  for (size_t i = 0; i < direct.size(); ++i)
    direct[i] = direct[i] && kept[i];
}

QueueGroup TransferGraph::queueGroup(RankId a, RankId b) const {
  EndpointId first = endpoints[a.index()], second = endpoints[b.index()];
  // The outermost level has all endpoints; the others are those of a SIP and of a cube.
  auto areTogether = [&](size_t level) {
    return level < levels.size() && first.index() / levels[level] == second.index() / levels[level];
  };
  if (areTogether(2))
    return QueueGroup::Intra;
  return areTogether(1) ? QueueGroup::Cube : QueueGroup::Global;
}

std::optional<uint32_t> TransferGraph::diameter() const {
  uint32_t largest = 0;
  std::vector<OptionalIndex> distance(numRanks);
  std::vector<uint32_t> queue;
  for (uint32_t root = 0; root < numRanks; ++root) {
    std::fill(distance.begin(), distance.end(), OptionalIndex());
    distance[root] = 0u;
    queue = {root};
    for (size_t next = 0; next < queue.size(); ++next)
      for (uint32_t to = 0; to < numRanks; ++to)
        if (!distance[to] && isDirect(RankId(queue[next]), RankId(to))) {
          distance[to] = *distance[queue[next]] + 1;
          queue.push_back(to);
        }
    if (queue.size() < numRanks)
      return std::nullopt;
    largest = std::max(largest, *distance[queue.back()]);
  }
  return largest;
}
