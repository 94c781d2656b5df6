//===- FoldedPlan.cpp - Machines on which few ranks stand for all ---------===//
//
// The conditions are sufficient, and checked on the machine of all ranks: every route is compared
// with that of rank 0, and every link is used once at most. Engines without a duration are not
// shared, because nothing waits for them. A protocol divides the steps of a threadblock, which
// shares nothing for that.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/FoldedPlan.h"

#include "GateKeeper.h"

#include "cclc/Limits/PlanReads.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

/// What the threadblocks of a PE share, and wait for; empty if there is nothing. With a protocol,
/// each computes and copies by itself.
static std::string sharedPart(const Machine &machine, bool hasProtocol) {
  constexpr Bytes large(uint64_t(1) << 30);
  const std::pair<bool, const char *> parts[] = {
      {machine.pe.streams.has_value(), "streams"},
      {machine.processors.has_value(), "processors"},
      {!hasProtocol && machine.pe.math.duration(large) > SimTime(), "the engine for reductions"},
      {!hasProtocol && machine.pe.copy.duration(large) > SimTime(), "the engine for copies"},
      {!machine.pe.dmaRate.isUnlimited(), "the DMA engine"},
      {machine.queue.write.duration(large) > SimTime(), "the port for writes to slots"},
      {machine.queue.read.duration(large) > SimTime(), "the port for reads of slots"},
      {machine.directionQueues.areLimited(), "queues"},
      {machine.memory.loadStore, "the channels to memory"}};
  for (auto [shared, name] : parts)
    if (shared)
      return name;
  return "";
}

/// Sets \p routes to those of rank 0, and compares those of all ranks with them.
static std::string findRouteFault(const RolledPlan &plan, const Machine &machine, bool contends,
                                  FoldedRoutes &routes) {
  std::vector<bool> used(machine.links().size());
  SmallVector<LinkId, 64> route;
  routes.clear();
  for (uint32_t r = 0; r < plan.info.ranks(); ++r) {
    size_t number = 0;
    for (const RolledPlan::Threadblock &tb : plan.threadblocks) {
      if (!tb.send)
        continue;
      EndpointId from(r), to(plan.group.rotateRank(r, *tb.send));
      if (!machine.routes().alternatives(machine, from, to, tb.channel).empty())
        return "messages choose between several routes";
      route.clear();
      machine.routes().routeOnChannel(machine, from, to, tb.channel, route);
      if (route.empty())
        return formatv("rank {0} has no path to rank {1}", r, to.index());
      FoldedRoutes::value_type values;
      for (LinkId link : route) {
        if (contends && used[link.index()])
          return formatv("two connections use link {0}", machine.linkName(link));
        used[link.index()] = true;
        values.emplace_back(machine.link(link).bandwidth, machine.latency(machine.link(link)));
      }
      if (number == routes.size())
        routes.push_back(std::move(values));
      else if (values != routes[number])
        return formatv("rank {0} of {1} has another route to its peer than rank 0", r,
                       plan.info.ranks());
      ++number;
    }
  }
  return "";
}

std::string cclc::findFoldingFault(const RolledPlan &plan, const ExecPlan &folded,
                                   const Machine &whole, StringRef network, FoldedRoutes &routes) {
  if (!llvm::StringSwitch<bool>(network).Cases("cut-through", "fifo", "ideal", true).Default(false))
    return "network " + network.str() + " is not one of cut-through, fifo and ideal";
  if (hasReads(folded, whole.queue.reads))
    return "messages are read by their receivers";
  if (GateKeeper(folded).hasGates())
    return "the plan has phases with gates";
  if (!plan.info.placementOnTarget.empty())
    return "the plan has a placement of ranks";
  if (std::string part = sharedPart(whole, whole.find(plan.info.protocol)); !part.empty())
    return "the threadblocks of a rank share " + part;
  if (whole.numEndpoints() < plan.info.ranks())
    return formatv("target {0} has {1} endpoints for {2} ranks", whole.name, whole.numEndpoints(),
                   plan.info.ranks());
  return findRouteFault(plan, whole, network != "ideal", routes);
}

FailureOr<Sizing> cclc::foldedSizing(const RolledPlan &plan, const PlacedPlan &folded,
                                     Bytes requested, DataType type, DiagnosticEngine &diags) {
  uint64_t chunks = std::max<uint64_t>(chunksOfBuffer(plan.info.collective), 1);
  uint64_t elements = ceilDiv(ceilDiv(requested.count(), sizeOf(type)), chunks);
  uint64_t foldedChunks = std::max<uint64_t>(chunksOfBuffer(folded.plan.info().collective), 1);
  FailureOr<Sizing> sizing =
      Sizing::create(folded, Bytes(elements * foldedChunks * sizeOf(type)), type, diags);
  if (succeeded(sizing))
    sizing->requested = requested;
  return sizing;
}

SizeResult cclc::resultOfAllRanks(const RolledPlan &plan, const PlacedPlan &folded,
                                  SizeResult row) {
  uint64_t ranks = plan.info.ranks(), foldedRanks = folded.plan.ranks();
  row.messages = row.messages / foldedRanks * ranks;
  row.steps = row.steps / foldedRanks * ranks;
  auto [numerator, denominator] = busFactor(plan.info.collective);
  row.busBandwidth = row.algorithmBandwidth * numerator / denominator;
  row.links.clear();
  row.threadblocks.clear();
  return row;
}
