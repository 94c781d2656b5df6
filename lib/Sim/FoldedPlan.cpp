//===- FoldedPlan.cpp - Machines on which few ranks stand for all ---------===//
//
// The conditions are sufficient, and checked on the machine of all ranks: every route is compared
// with that of rank 0, and every link is used once at most. Engines without a duration are not
// shared, because nothing waits for them.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/FoldedPlan.h"

#include "GateKeeper.h"

#include "cclc/Constraints/PlanReads.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

/// What the threadblocks of a PE share, and wait for; empty if there is nothing.
static std::string sharedPart(const Machine &machine) {
  constexpr Bytes large(uint64_t(1) << 30);
  const std::pair<bool, const char *> parts[] = {
      {machine.pe.streams.has_value(), "streams"},
      {machine.processors.has_value(), "processors"},
      {machine.pe.math.duration(large) > SimTime(), "the engine for reductions"},
      {machine.pe.copy.duration(large) > SimTime(), "the engine for copies"},
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

namespace {
/// The bandwidth and the latency of each link of a route.
using RouteValues = std::vector<std::pair<Bandwidth, SimTime>>;
} // namespace

/// Compares the routes of \p ranks ranks of \p machine with \p expected, by connection of a rank,
/// which is set from rank 0 if it is empty.
static std::string
findRouteFault(const RolledPlan &plan, const Machine &machine, uint32_t ranks,
               llvm::function_ref<RankId(uint32_t, const RolledPlan::Element &)> peerOf,
               std::vector<RouteValues> &expected) {
  std::vector<bool> used(machine.links().size());
  SmallVector<LinkId, 64> route;
  for (uint32_t r = 0; r < ranks; ++r) {
    size_t number = 0;
    for (const RolledPlan::Threadblock &tb : plan.threadblocks) {
      if (!tb.send)
        continue;
      EndpointId from(r), to(peerOf(r, *tb.send).index());
      if (!machine.routes().alternatives(machine, from, to, tb.channel).empty())
        return "messages choose between several routes";
      route.clear();
      machine.routes().routeOnChannel(machine, from, to, tb.channel, route);
      RouteValues values;
      for (LinkId link : route) {
        if (used[link.index()])
          return formatv("two connections use link {0}", machine.linkName(link));
        used[link.index()] = true;
        values.emplace_back(machine.link(link).bandwidth, machine.latency(machine.link(link)));
      }
      if (number == expected.size())
        expected.push_back(std::move(values));
      else if (values != expected[number])
        return formatv("rank {0} of {1} has another route to its peer than rank 0", r, ranks);
      ++number;
    }
  }
  return "";
}

std::string cclc::findFoldingFault(const RolledPlan &plan, const FoldedRanks &ranks,
                                   const BoundPlan &folded, const Machine &whole,
                                   StringRef network) {
  if (!llvm::StringSwitch<bool>(network).Cases("cut-through", "fifo", "ideal", true).Default(false))
    return "network " + network.str() + " is not one of cut-through, fifo and ideal";
  if (folded.protocol)
    return "the target has protocols";
  if (hasReads(folded.plan, whole.queue.reads))
    return "messages are read by their receivers";
  if (GateKeeper(folded.plan).hasGates())
    return "the plan has phases with gates";
  if (!plan.info.placementOnTarget.empty())
    return "the plan has a placement of ranks";
  if (std::string part = sharedPart(whole); !part.empty())
    return "the threadblocks of a rank share " + part;
  if (whole.numEndpoints() < plan.info.ranks())
    return formatv("target {0} has {1} endpoints for {2} ranks", whole.name, whole.numEndpoints(),
                   plan.info.ranks());
  std::vector<RouteValues> expected;
  std::string fault = findRouteFault(
      plan, folded.machine, ranks.ranks(),
      [&](uint32_t r, const RolledPlan::Element &distance) {
        return ranks.at(RankId(r), distance);
      },
      expected);
  if (!fault.empty())
    return fault;
  return findRouteFault(
      plan, whole, plan.info.ranks(),
      [&](uint32_t r, const RolledPlan::Element &distance) {
        return RankId(plan.group.rotateRank(r, distance));
      },
      expected);
}

FailureOr<Sizing> cclc::foldedSizing(const RolledPlan &plan, const BoundPlan &folded,
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

SizeResult cclc::resultOfAllRanks(const RolledPlan &plan, const BoundPlan &folded, SizeResult row) {
  uint64_t ranks = plan.info.ranks(), foldedRanks = folded.plan.ranks();
  row.messages = row.messages / foldedRanks * ranks;
  row.steps = row.steps / foldedRanks * ranks;
  auto [numerator, denominator] = busFactor(plan.info.collective);
  row.busBandwidth = row.algorithmBandwidth * numerator / denominator;
  row.links.clear();
  row.threadblocks.clear();
  return row;
}
