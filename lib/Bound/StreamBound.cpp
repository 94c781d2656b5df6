//===- StreamBound.cpp - Spanning trees and groups of streams -------------===//
//
// A slot of data from rank u occupies the stream of rank v for c(u, v): the overhead of a receive,
// the read of the slot and the latency of the credit, for which the shortest path counts. Partly
// filled messages take longer for each byte.
//
// Average. The transfers of an element connect all ranks: from the root, to the root, or both.
// Their costs are at least those of a minimum spanning tree under the smaller of c(u, v) and
// c(v, u) (Prim, Bell System Technical Journal 36(6), 1957). An all-reduce takes two trees: for
// every threshold, let k be the number of groups of ranks that cheaper transfers connect. The
// groups need 2(k - 1) messages between them, since they gossip (Baker and Shostak, Gossips and
// telephones, 1972), and a spanning tree has k - 1 edges between them. An all-to-all takes all c.
//
// Groups. Let each rank v of a group receive B bytes or more, e(v) of them from outside. Its stream
// takes B near(v) + e(v) (out(v) - near(v)) or more, where near and out are the least costs from
// any rank and from outside. For any weights w(v), the sum of w(v) times this is a bound on the
// sum of the weights times the time. With w(v) = 1 / (out(v) - near(v)) the sum depends only on
// the sum of e(v). The groups are those of the spanning tree: the ranks that its cheapest edges
// connect.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/StreamBound.h"

#include "Distances.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace cclc;
using llvm::formatv;

namespace {
/// The scale of weights, and the largest product of a weight and a cost.
constexpr int64_t weightScale = int64_t(1) << 40;
constexpr Wide largestProduct = Wide(1) << 80;

/// Rounded down.
int64_t timeOfBytes(Bytes size, Bandwidth rate) {
  constexpr Wide second = 1'000'000'000'000; // ps
  return rate.isUnlimited() ? 0 : int64_t(Wide(size.count()) * second / rate.bytesPerSecond());
}
int64_t slotTime(const SlotAccess &access, Bytes slot) {
  return access.latency.picoseconds() + timeOfBytes(slot, access.rate) +
         timeOfBytes(slot, access.secondRate);
}

std::string nanoseconds(int64_t picoseconds) {
  return formatv("{0:f1} ns", double(picoseconds) / 1000).str();
}
} // namespace

StreamBound::StreamBound(const Machine &machine, Bytes slotSize, const FlowGraph &graph,
                         const Collective &collective, const RankWork &work,
                         const Deadline &deadline)
    : ranks(graph.numRanks()), slot(slotSize) {
  if (!machine.pe.streams || slot == Bytes() || machine.queue.reads != OneSidedReads::Off ||
      ranks < 2 || graph.unreachable())
    return;
  streams = std::max(*machine.pe.streams, uint32_t(1));
  if (failed(measure(machine, graph, deadline)))
    return;
  addAverage(collective, work);
  addGroups(graph, machine, collective, work);
}

LogicalResult StreamBound::measure(const Machine &machine, const FlowGraph &graph,
                                   const Deadline &deadline) {
  const QueueModel &queue = machine.queue;
  int64_t fixed = queue.receiveOverhead.picoseconds() + slotTime(queue.read, slot);
  if (const CycleEngine &math = machine.pe.math; math.bytesPerCycle > 0)
    reduction = int64_t(slot.count()) * math.cycle.picoseconds() / int64_t(math.bytesPerCycle);
  costs.assign(size_t(ranks) * ranks, fixed);
  FlowGraph back = graph.reversed();
  Distances distances(machine, back);
  for (uint32_t to = 0; queue.creditBlocksReceiver && to < ranks; ++to) {
    if (deadline.hasPassed())
      return failure();
    std::vector<SimTime> distance = distances.from(to);
    for (uint32_t from = 0; from < ranks; ++from)
      costs[size_t(to) * ranks + from] += distance[from].picoseconds();
  }
  mostCost = std::max<int64_t>(*llvm::max_element(costs), 1);
  nearest.assign(ranks, std::numeric_limits<int64_t>::max());
  for (uint32_t to = 0; to < ranks; ++to)
    for (uint32_t from = 0; from < ranks; ++from)
      if (from != to)
        nearest[to] = std::min(nearest[to], cost(from, to));
  spanRanks();
  return success();
}

/// Prim's algorithm.
void StreamBound::spanRanks() {
  std::vector<Edge> shortest(ranks); ///< to each rank, from those that are reached
  std::vector<bool> reached(ranks);
  for (uint32_t next = 0, count = 0; count < ranks; ++count) {
    reached[next] = true;
    if (count > 0)
      tree.push_back(shortest[next]);
    for (uint32_t r = 0; r < ranks; ++r)
      if (!reached[r] && (count == 0 || least(next, r) < shortest[r].cost))
        shortest[r] = {least(next, r), next, r};
    auto later = [&](uint32_t r) {
      return reached[r] ? std::numeric_limits<int64_t>::max() : shortest[r].cost;
    };
    for (uint32_t r = 0; r < ranks; ++r)
      if (later(r) < later(next))
        next = r;
  }
  llvm::sort(tree);
}

void StreamBound::addAverage(const Collective &collective, const RankWork &work) {
  Bound average;
  average.weight = ranks;
  average.eachReceives = {1, 1};
  for (const Edge &edge : tree)
    average.received += edge.cost;
  std::string kind = "a minimum spanning tree of the ranks";
  switch (collective.kind()) {
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::Broadcast:
  case CollectiveKind::Reduce:
  case CollectiveKind::Scan:
  case CollectiveKind::Exscan:
    break;
  case CollectiveKind::AllReduce:
    average.received *= 2;
    break;
  case CollectiveKind::AllToAll:
    average.received = 0;
    for (uint32_t to = 0; to < ranks; ++to)
      for (uint32_t from = 0; from < ranks; ++from)
        average.received += from == to ? 0 : cost(from, to);
    average.eachReceives = {1, ranks};
    kind = "all pairs of ranks";
    break;
  default:
    return;
  }
  std::string sums;
  if (work.averageReduced.parts > 0) {
    average.received += Wide(reduction) * work.averageReduced.parts;
    sums = formatv(", and a reduction for {0}", nanoseconds(reduction)).str();
  }
  int64_t most = collective.kind() == CollectiveKind::AllToAll ? mostCost : tree.back().cost;
  average.cause =
      formatv("the streams of all PEs: along {0}, a receive of {1} bytes occupies one "
              "for {2} to {3}{4}",
              kind, slot.count(), nanoseconds(tree.front().cost), nanoseconds(most), sums);
  bounds.push_back(std::move(average));
}

void StreamBound::addGroups(const FlowGraph &graph, const Machine &machine,
                            const Collective &collective, const RankWork &work) {
  // These have ranks that receive less than others.
  if (work.received.parts == 0 || collective.kind() == CollectiveKind::Gather ||
      collective.kind() == CollectiveKind::Scatter || collective.kind() == CollectiveKind::Reduce ||
      collective.kind() == CollectiveKind::SendRecv ||
      collective.kind() == CollectiveKind::AllToNext || isScan(collective.kind()) ||
      collective.kind() == CollectiveKind::Custom)
    return;
  auto nameOf = [&](uint32_t rank) {
    StringRef name = machine.nodes()[graph.machineNode(rank).index()].name;
    name.consume_back(".pe_dma"); // the node where messages of a PE enter the network
    return name.str();
  };
  std::vector<std::vector<uint32_t>> groups(ranks);
  std::vector<uint32_t> groupOf(ranks);
  std::set<uint32_t> grown; ///< groups that this cost has joined
  for (uint32_t r = 0; r < ranks; ++r)
    groups[groupOf[r] = r] = {r};
  for (size_t i = 0; i < tree.size(); ++i) {
    uint32_t into = groupOf[tree[i].a], from = groupOf[tree[i].b];
    for (uint32_t r : groups[from])
      groupOf[r] = into;
    llvm::append_range(groups[into], groups[from]);
    groups[from].clear();
    grown.erase(from);
    grown.insert(into);
    if (i + 1 < tree.size() && tree[i + 1].cost == tree[i].cost)
      continue;
    for (uint32_t group : grown)
      if (ArrayRef<uint32_t> members = groups[group]; members.size() < ranks)
        addGroup(members, nameOf(*llvm::min_element(members)), collective, work);
    grown.clear();
  }
}

void StreamBound::addGroup(ArrayRef<uint32_t> members, const std::string &name,
                           const Collective &collective, const RankWork &work) {
  std::vector<bool> inside(ranks);
  for (uint32_t member : members)
    inside[member] = true;
  if (collective.kind() == CollectiveKind::Broadcast && inside[collective.root().index()])
    return;
  Bound bound;
  bound.weight = 0;
  bound.eachReceives = work.received;
  uint64_t size = members.size();
  switch (collective.kind()) {
  case CollectiveKind::AllGather:
    bound.enters = {ranks - size, ranks};
    break;
  case CollectiveKind::ReduceScatter:
    bound.enters = {size, ranks};
    break;
  case CollectiveKind::AllToAll:
    bound.enters = {size * (ranks - size), ranks};
    break;
  default:
    bound.enters = {1, 1};
    break;
  }
  int64_t inner = std::numeric_limits<int64_t>::max(), outer = inner;
  int64_t scale = std::min<Wide>(weightScale, largestProduct / mostCost);
  for (uint32_t to : members) {
    int64_t near = nearest[to], out = std::numeric_limits<int64_t>::max();
    for (uint32_t from = 0; from < ranks; ++from)
      if (!inside[from])
        out = std::min(out, cost(from, to));
    if (out <= near)
      return;
    // Any weights give a bound: those of large differences are 1, not 0.
    int64_t weight = std::max<int64_t>(scale / (out - near), 1);
    Wide entering = Wide(weight) * (out - near);
    bound.entering = bound.weight == 0 ? entering : std::min(bound.entering, entering);
    bound.weight += weight;
    bound.received += Wide(weight) * near;
    inner = std::min(inner, near);
    outer = std::min(outer, out);
  }
  bound.cause = formatv("the streams of the {0} PEs near {1}: a receive of {2} bytes occupies one "
                        "for {3} or more, and from farther PEs, from which data have to come, for "
                        "{4} or more",
                        size, name, slot.count(), nanoseconds(inner), nanoseconds(outer));
  bounds.push_back(std::move(bound));
}

NamedTime StreamBound::at(Bytes buffer) const {
  NamedTime most;
  for (const Bound &bound : bounds) {
    Wide time = (bound.eachReceives.bytesOf(buffer) * bound.received +
                 bound.enters.bytesOf(buffer) * bound.entering) /
                bound.weight / Wide(slot.count()) / Wide(streams);
    if (SimTime::clamped(time) > most.time)
      most = {SimTime::clamped(time), bound.cause};
  }
  return most;
}
