//===- CollectiveBound.cpp - Combines all bounds --------------------------===//
//
// Of equal bounds, the one of the links is named, because it depends least on the plan.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/CollectiveBound.h"

#include "cclc/Bound/Witness.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

StringRef cclc::boundName(BoundKind kind) {
  constexpr const char *names[] = {"throughput", "volume", "protocol",
                                   "memory",     "engine", "latency"};
  return names[static_cast<size_t>(kind)];
}

double SizeBound::shareOf(SimTime planTime) const {
  if (planTime <= SimTime() || time() == SimTime::max())
    return 0;
  return double(time().picoseconds()) / double(planTime.picoseconds());
}

StringRef SizeBound::title() const {
  return binds == BoundKind::Throughput || binds == BoundKind::Volume ? "link" : boundName(binds);
}

CollectiveBound::CollectiveBound(BoundRequest given)
    : request(std::move(given)),
      theGraph(FlowGraph::create(request.machine, request.endpoints, request.routeBudget,
                                 request.budget.deadline)),
      theLink(request.network == "ideal"
                  ? LinkBound()
                  : findLinkBound(theGraph, request.collective, &request.machine, request.endpoints,
                                  request.budget)),
      rank(request.machine, request.endpoints, theGraph, request.collective, request.protocol,
           request.slotSize.value_or(request.machine.queue.slotSize), request.budget.deadline),
      isOver(request.budget.deadline.hasPassed()) {
  if (request.network == "ideal")
    return;
  if (!theLink.cut.capacity || !theLink.cut.capacity->isUnlimited())
    theCutText = describeCut(request.machine, request.endpoints, theGraph, theLink.cut);
  thePathText = theLink.isByPaths() ? describePaths(request.machine, theGraph, theLink.paths) : "";
}

std::vector<std::string> CollectiveBound::cutLinks() const {
  if (theCutText.empty())
    return {};
  return linkNames(request.machine, theGraph, theLink.cut);
}

std::vector<std::pair<std::string, uint64_t>> CollectiveBound::pathLengths() const {
  return linkLengths(request.machine, theGraph, theLink.paths);
}

std::string CollectiveBound::noPathText() const {
  const auto &missing = theGraph.unreachable();
  if (!missing || theLink.cut.capacity)
    return "";
  auto name = [&](RankId rank) {
    return request.machine.nodes()[theGraph.machineNode(rank.index()).index()].name;
  };
  return formatv("no path from {0} to {1}", name(missing->first), name(missing->second));
}

std::vector<std::string> CollectiveBound::relays() const {
  llvm::BitVector passed(request.machine.nodes().size());
  for (uint32_t node = theGraph.numRanks(); node < theGraph.numNodes(); ++node)
    passed.set(theGraph.machineNode(node).index());
  std::vector<std::string> names;
  for (uint32_t e = 0; e < request.machine.numEndpoints(); ++e)
    if (uint32_t node = request.machine.endpointNode(EndpointId(e)).index(); passed[node])
      names.push_back(request.machine.nodes()[node].name);
  return names;
}

SimTime CollectiveBound::withPayload(SimTime time) const {
  if (time == SimTime::max())
    return time;
  return SimTime::clamped(Wide(time.picoseconds()) * 1'000'000 / std::max(payload(), uint32_t(1)));
}

SizeBound CollectiveBound::at(Bytes buffer, bool latency) const {
  SizeBound bound;
  if (buffer == Bytes())
    return bound;
  bound.throughput = std::max(theLink.cutTime(buffer), theLink.pathTime(buffer));
  bound.volume = theLink.volumeTime(buffer);
  if (!isOver) // it is reached with the tightest cuts alone
    bound.twoPhases = theLink.twoPhaseTime(buffer);
  bound.cut = theCutText;
  bound.capacity = theLink.cut.capacity;
  bound.crossing = Bytes(uint64_t(Wide(buffer.count()) * theLink.cut.weight / theLink.parts));
  NamedTime engine, memory;
  if (!request.linksOnly) {
    bound.latency = latency ? rank.latency().time : SimTime();
    engine = rank.engine(buffer);
    memory = rank.memory(buffer);
  }
  bound.engine = engine.time;
  bound.memory = memory.time;
  bound.protocol = withPayload(bound.link());
  std::string volume = theLink.volume ? theLink.volume->text() : "";
  const std::string &paths = thePathText.empty() ? theCutText : thePathText;
  std::string linkText = bound.volume > bound.throughput ? volume : paths;
  const std::tuple<BoundKind, SimTime, std::string> all[] = {
      {BoundKind::Throughput, bound.throughput, paths},
      {BoundKind::Volume, bound.volume, volume},
      {BoundKind::Protocol, bound.protocol,
       formatv("{0}, with {1} % payload of {2}", linkText, double(rank.efficiency()) / 10'000,
               rank.efficientProtocol())},
      {BoundKind::Memory, bound.memory, memory.cause},
      {BoundKind::Engine, bound.engine, engine.cause},
      {BoundKind::Latency, bound.latency, rank.latency().cause},
  };
  for (const auto &[kind, time, witness] : all)
    if (time == bound.time()) {
      bound.binds = kind;
      bound.witness = time == SimTime::max() ? noPathText() : witness;
      break;
    }
  return bound;
}
