//===- RankBound.cpp - Latencies, engines and ports -----------------------===//
//
// On large machines distances from a few ranks are measured: the largest of some distances remains
// a bound.
//
// A message has at most the bytes of a slot, so the bytes that a rank receives require a number of
// messages. Each of them occupies the stream of the PE for the fixed time of a receive, the read of
// the slot and, if the credit blocks the receiver, the time of the credit. What several
// transmissions of a step share, such as its dispatch, is counted once.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/RankBound.h"

#include "Distances.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
constexpr Wide second = 1'000'000'000'000; // ps

/// Rounded down.
Wide timeOf(Wide bytes, Bandwidth rate) {
  return rate.isUnlimited() ? 0 : bytes * second / rate.bytesPerSecond();
}
Wide timeOf(Wide bytes, const CycleEngine &engine) {
  return engine.bytesPerCycle == 0
             ? 0
             : bytes * engine.cycle.picoseconds() / Wide(engine.bytesPerCycle);
}

Bandwidth faster(Bandwidth a, Bandwidth b) { return Bandwidth::slower(a, b) == a ? b : a; }

/// No message of a rank is faster than the fastest link out of any rank.
Bandwidth fastestLink(const Machine &machine, ArrayRef<EndpointId> endpoints) {
  std::vector<bool> isRank(machine.nodes().size());
  for (EndpointId endpoint : endpoints) {
    NodeId node = machine.endpointNode(endpoint);
    if (isRank[node.index()])
      return Bandwidth(); // ranks of one PE need no link
    isRank[node.index()] = true;
  }
  std::optional<Bandwidth> fastest;
  for (const Link &link : machine.links())
    if (link.present && isRank[link.from.index()])
      fastest = fastest ? faster(*fastest, link.bandwidth) : link.bandwidth;
  return fastest.value_or(Bandwidth());
}

/// The ranks whose data reach rank \p to in any plan.
std::vector<uint32_t> sourcesOf(const Collective &collective, uint32_t to) {
  std::vector<uint32_t> sources;
  auto add = [&](uint32_t rank) {
    if (rank != to)
      sources.push_back(rank);
  };
  for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
    Expectation expected = collective.expected(RankId(to), c);
    if (expected.kind == Expectation::Kind::Chunk)
      add(expected.rank.index());
    for (const Contribution &one : expected.list)
      add(one.rank.index());
    if (expected.kind == Expectation::Kind::Sum) {
      for (uint32_t rank = 0; rank <= expected.rank.index(); ++rank)
        add(rank);
      break;
    }
  }
  llvm::sort(sources);
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}
} // namespace

RankBound::RankBound(const Machine &machine, ArrayRef<EndpointId> endpoints, const FlowGraph &graph,
                     const Collective &collective, std::optional<Protocol> protocol, Bytes slotSize,
                     const Deadline &deadline)
    : machine(machine), slotSize(slotSize), work(leastWork(collective, machine.switches)),
      ranks(endpoints.size()) {
  theEfficiency = machine.hasProtocols() ? 0 : 1'000'000;
  for (unsigned p = 0; p < numProtocols; ++p) {
    const ProtocolModel *model = machine.find(Protocol(p));
    if (!model || (protocol && *protocol != Protocol(p)))
      continue;
    models.push_back(model);
    if (model->efficiency > theEfficiency) {
      theEfficiency = model->efficiency;
      theProtocol = protocolName(Protocol(p)).str();
    }
  }
  if (models.empty()) {
    models.push_back(nullptr);
    theEfficiency = 1'000'000;
  }
  if (machine.hasMemories() && machine.memory.loadStore) {
    // The same for all PEs of the family; the fastest, to be sure.
    memoryLatency = SimTime::max();
    for (EndpointId endpoint : endpoints) {
      Path route;
      machine.routeToMemory(endpoint, endpoint, route);
      SimTime latency = machine.memory.dmaOverhead;
      Bandwidth rate;
      for (LinkId id : route)
        for (LinkId way : {id, *machine.link(id).reverse}) {
          latency += machine.latency(machine.link(way));
          rate = Bandwidth::slower(rate, machine.link(way).bandwidth);
        }
      if (latency < memoryLatency)
        memoryLatency = latency;
      if (memoryRate.isUnlimited() || Bandwidth::slower(rate, memoryRate) == memoryRate)
        memoryRate = rate;
    }
  }
  if (ranks < 2 || !collective.hasPostCondition())
    return;
  if (!machine.pe.dmaRate.isUnlimited())
    fastest = fastestLink(machine, endpoints);
  measureDistances(graph, collective);
  findRounds(collective);
  findLatency();
  if (!models.front())
    streams = StreamBound(machine, slotSize, graph, collective, work, deadline);
}

void RankBound::measureDistances(const FlowGraph &graph, const Collective &collective) {
  constexpr uint64_t visits = uint64_t(1) << 22;
  FlowGraph back = graph.reversed();
  Distances distances(machine, back);
  uint64_t perSearch = graph.arcs().size() + 1;
  uint32_t searches = std::clamp<uint64_t>(visits / perSearch, 4, ranks);
  for (uint32_t i = 0; i < searches; ++i) {
    uint32_t to = uint64_t(i) * ranks / searches;
    if (i == 0 && collective.isRooted())
      to = collective.root().index();
    std::vector<uint32_t> sources = sourcesOf(collective, to);
    if (sources.empty())
      continue;
    std::vector<SimTime> distance = distances.from(to);
    for (uint32_t source : sources)
      if (distance[source] != SimTime::max() && distance[source] > farthest) {
        farthest = distance[source];
        farthestPair =
            formatv("{0} to {1}", machine.nodes()[graph.machineNode(source).index()].name,
                    machine.nodes()[graph.machineNode(to).index()].name);
      }
  }
  if (uint64_t(ranks) * perSearch > visits * 16)
    return;
  nearest = SimTime::max();
  for (uint32_t to = 0; to < ranks; ++to) {
    SimTime least = distances.toNearest(to);
    nearest = std::min(nearest, least);
    loneliest = std::max(loneliest, least);
  }
}

void RankBound::findRounds(const Collective &collective) {
  // A threadblock has at most one peer in each direction, and so has a queue, unless a switch
  // multicasts or adds.
  uint64_t peers = ranks - 1;
  if (machine.limits.threadblocks && !machine.switches)
    peers = std::min<uint64_t>(peers, *machine.limits.threadblocks);
  if (machine.limits.queuePairs && !machine.switches)
    peers = std::min<uint64_t>(peers, *machine.limits.queuePairs);
  const DirectionQueues &queues = machine.directionQueues;
  bool areAll = llvm::all_of(queues.number, [](auto &number) { return number.has_value(); });
  if (areAll && !queues.multiplex) {
    uint64_t sum = 0;
    for (auto &number : queues.number)
      sum += *number;
    peers = std::min(peers, std::max<uint64_t>(sum, 1));
  }
  switch (collective.kind()) {
  case CollectiveKind::AllToNext:
  case CollectiveKind::SendRecv:
  case CollectiveKind::Custom:
    return;
  default:
    break;
  }
  uint64_t reached = 1, level = 1;
  theRounds = 0;
  while (reached < ranks) {
    level *= peers;
    reached += level;
    ++theRounds;
  }
}

/// The least time of one message in a sequence, without the latency of its route.
SimTime RankBound::hopCost(const ProtocolModel *model) const {
  // The first trip; with streaming, the receiver continues after it.
  if (model)
    return model->sliceLatency + std::min(model->trip.cycle, model->trip.duration(Bytes(1)));
  const QueueModel &queue = machine.queue;
  SimTime cost = queue.sendOverhead + queue.write.latency + queue.receiveOverhead;
  // The receiver may fetch messages without an access to a slot (rule 53).
  if (queue.reads != OneSidedReads::Off)
    return cost;
  cost += queue.read.latency;
  if (queue.creditBlocksReceiver)
    cost += nearest;
  // Without slots of a limited size, a step is one message, with a dispatch of its own.
  if (slotSize == Bytes())
    cost += machine.pe.dispatch;
  return cost;
}

void RankBound::findLatency() {
  std::optional<SimTime> least;
  for (const ProtocolModel *model : models) {
    SimTime hop = hopCost(model);
    SimTime moving = std::max(hop + farthest, (hop + nearest) * int64_t(theRounds));
    SimTime begin = machine.pe.dispatch, end = memoryLatency;
    if (model) {
      begin += model->stepLatency;
      end = hop;
    }
    SimTime launch = model ? model->launch : machine.launch;
    SimTime time = launch + std::max(begin, memoryLatency) + moving + end;
    least = std::min(least.value_or(time), time);
  }
  theLatency.time = std::max(*least, machine.launchInterval);
  bool byLaunch = theLatency.time == machine.launchInterval;
  theLatency.cause = byLaunch ? "the launch interval"
                     : theRounds > 1
                         ? formatv("{0} messages in sequence, because a rank has fewer peers than "
                                   "there are ranks",
                                   theRounds)
                               .str()
                         : "one message from " + farthestPair;
}

NamedTime RankBound::engineUnder(const ProtocolModel *model, Bytes buffer) const {
  NamedTime most;
  auto consider = [&](Wide time, const char *cause) {
    if (SimTime::clamped(time) > most.time)
      most = {SimTime::clamped(time), cause};
  };
  Wide moved = std::max({work.received.bytesOf(buffer), work.sent.bytesOf(buffer),
                         work.averageReceived.bytesOf(buffer)});
  Wide sent = std::max(work.sent.bytesOf(buffer), work.averageSent.bytesOf(buffer));
  if (!model)
    consider(timeOf(work.averageReduced.bytesOf(buffer), machine.pe.math),
             "the reduction engine of a PE");
  // The last message of a rank does not wait for the engine, but it has to cross a link.
  consider(timeOf(sent, faster(machine.pe.dmaRate, fastest)), "the DMA engine of a PE");
  Bytes largest = model ? model->slotSize : slotSize;
  if (largest > Bytes())
    consider(timeOf(std::max<Wide>(sent - Wide(largest.count()), 0), machine.pe.dmaRate),
             "the DMA engine of a PE");
  if (!machine.limits.threadblocks)
    return most;
  uint64_t threadblocks = *machine.limits.threadblocks;
  if (!model) {
    consider(timeOf(sent, machine.pe.threadblockRate) / Wide(threadblocks),
             "the threadblocks of a rank");
  } else {
    uint64_t slot = model->slotSize.count(), slices = std::max(model->slices, uint32_t(1));
    uint64_t slice = std::max<uint64_t>(
        std::min(slot, std::max(ceilDiv(slot, slices), model->minSlice.count())), 1);
    Wide time =
        timeOf(moved, model->trip) + moved * model->sliceLatency.picoseconds() / Wide(slice);
    consider(time / Wide(threadblocks), "the threadblocks of a rank");
  }
  return most;
}

NamedTime RankBound::engine(Bytes buffer) const {
  std::optional<NamedTime> least;
  for (const ProtocolModel *model : models) {
    NamedTime time = engineUnder(model, buffer);
    if (!least || time.time < least->time)
      least = std::move(time);
  }
  return *least;
}

NamedTime RankBound::memory(Bytes buffer) const {
  NamedTime most;
  auto consider = [&](Wide time, const char *cause) {
    if (SimTime::clamped(time) > most.time)
      most = {SimTime::clamped(time), cause};
  };
  if (machine.memory.loadStore) {
    consider(timeOf(work.loaded.bytesOf(buffer), memoryRate), "the loads of a PE");
    consider(timeOf(work.stored.bytesOf(buffer), memoryRate), "the stores of a PE");
  }
  if (models.front())
    return most; // slots have no ports
  const QueueModel &queue = machine.queue;
  // A receiver that fetches its messages occupies neither its stream nor its ports.
  if (queue.reads != OneSidedReads::Off)
    return most;
  auto receive = [&](Wide bytes, Wide reduced, SimTime credit) {
    if (bytes == 0)
      return;
    Wide slot = slotSize.count(), messages = slot == 0 ? 1 : (bytes + slot - 1) / slot;
    auto access = [&](const SlotAccess &port) {
      return messages * port.latency.picoseconds() + timeOf(bytes, port.rate) +
             timeOf(bytes, port.secondRate);
    };
    consider(access(queue.write), "the writes to the slots of a PE");
    consider(access(queue.read), "the reads of the slots of a PE");
    if (!machine.pe.streams)
      return;
    Wide time = access(queue.read) + messages * queue.receiveOverhead.picoseconds() +
                timeOf(reduced, machine.pe.math);
    if (queue.creditBlocksReceiver)
      time += messages * credit.picoseconds();
    consider(time / Wide(std::max(*machine.pe.streams, uint32_t(1))),
             *machine.pe.streams > 1 ? "the streams of a PE" : "the stream of a PE");
  };
  // Gather has one receiver, which may be close to others; elsewhere all ranks receive alike.
  bool allReceive = work.received.parts * work.averageReceived.of ==
                    work.averageReceived.parts * work.received.of;
  receive(work.received.bytesOf(buffer), 0, allReceive ? loneliest : nearest);
  receive(work.averageReceived.bytesOf(buffer), work.averageReduced.bytesOf(buffer), nearest);
  NamedTime together = streams.at(buffer);
  return together.time > most.time ? together : most;
}
