//===- VolumeBound.cpp - All messages of a collective together ------------===//
//
// Sums the rates of the links of all ranks, and for each level of the machine the smallest cuts
// around its members, out of them and into them. The direction that takes longer is that of the
// bound.
//
// An operation of a switch is one message on the link of its common rank. Groups of ranks have such
// operations in common only if members of two of them are at the same switch.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/VolumeBound.h"

#include "cclc/Bound/RatioCut.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using llvm::formatv;

SimTime VolumeBound::time(Bytes buffer) const {
  return SimTime::clamped(Wide(buffer.count()) * buffers * 1'000'000'000'000 /
                          rate.bytesPerSecond());
}

std::string VolumeBound::text() const {
  std::string members = level.empty()
                            ? std::string("all ranks")
                            : formatv("the {0} members of level {1}", groups, level).str();
  return formatv("the links {0} {1}, which {2} buffers in total have to {3}",
                 enters ? "into" : "out of", members, buffers, enters ? "enter" : "leave");
}

bool VolumeBound::isTighterThan(const VolumeBound &other) const {
  return Wide(buffers) * other.rate.bytesPerSecond() > Wide(other.buffers) * rate.bytesPerSecond();
}

namespace {
/// The sum of the rates of links; without a limit if one of them has none.
struct TotalRate {
  Wide rate = 0;
  bool isUnlimited = false;

  /// Unset: there is no path, which the cuts report.
  void add(std::optional<Bandwidth> more) {
    isUnlimited |= !more || more->isUnlimited();
    rate += isUnlimited ? 0 : more->bytesPerSecond();
  }
  bool limits() const { return !isUnlimited && rate > 0 && !(rate >> 63); }
};

/// The links out of all groups, and those into them.
struct GroupRates {
  TotalRate out, in;

  std::optional<VolumeBound> bound(const MessagesOfElement &messages, uint64_t groups,
                                   const std::string &level) const {
    std::optional<VolumeBound> tightest;
    auto consider = [&](const TotalRate &total, uint64_t buffers, bool enters) {
      if (groups < 2 || !total.limits())
        return;
      VolumeBound bound{buffers, Bandwidth(uint64_t(total.rate)), enters, groups, level};
      if (!tightest || bound.isTighterThan(*tightest))
        tightest = std::move(bound);
    };
    consider(out, messages.leaving(groups), /*enters=*/false);
    consider(in, messages.entering(groups), /*enters=*/true);
    return tightest;
  }
};

GroupRates ratesOfRanks(const FlowGraph &graph) {
  GroupRates rates;
  for (const FlowArc &arc : graph.arcs()) {
    if (graph.isRank(arc.from))
      rates.out.add(arc.capacity);
    if (graph.isRank(arc.to))
      rates.in.add(arc.capacity);
  }
  return rates;
}

/// Whether links lead from endpoints of two groups to the same node. \p groupOf is by endpoint, and
/// unset for those without ranks.
bool shareSwitches(const Machine &machine, ArrayRef<std::optional<uint64_t>> groupOf) {
  std::map<NodeId, uint64_t> groupAt, groupOfNode;
  for (uint32_t e = 0; e < groupOf.size(); ++e)
    if (groupOf[e])
      groupOfNode[machine.endpointNode(EndpointId(e))] = *groupOf[e];
  for (const Link &link : machine.links())
    if (auto from = groupOfNode.find(link.from); from != groupOfNode.end())
      if (groupAt.try_emplace(link.to, from->second).first->second != from->second)
        return true;
  return false;
}
} // namespace

uint64_t MessagesOfElement::leaving(uint64_t groups) const {
  return (sums ? groups - 1 : 0) + (!spreads ? 0 : multicasts ? 1 : groups - 1);
}

uint64_t MessagesOfElement::entering(uint64_t groups) const {
  return (!sums ? 0 : adds ? 1 : groups - 1) + (spreads ? groups - 1 : 0);
}

std::optional<VolumeBound> cclc::findVolumeBound(const FlowGraph &graph, MessagesOfElement messages,
                                                 const Machine *machine,
                                                 ArrayRef<EndpointId> endpoints, uint64_t &trials) {
  if (machine && machine->switches) {
    messages.multicasts = machine->switches->multicasts;
    messages.adds = machine->switches->adds;
  }
  std::optional<VolumeBound> tightest =
      ratesOfRanks(graph).bound(messages, graph.numRanks(), /*level=*/"");
  if (!machine)
    return tightest;
  uint64_t below = machine->numEndpoints();
  for (const GridLevel &level : machine->geometry().levels) {
    below /= level.size();
    std::map<uint64_t, std::vector<uint32_t>> groups;
    std::vector<std::optional<uint64_t>> groupOf(machine->numEndpoints());
    for (uint32_t rank = 0; rank < graph.numRanks(); ++rank) {
      uint32_t endpoint = endpoints[rank].index();
      groupOf[endpoint] = endpoint / below;
      groups[endpoint / below].push_back(rank);
    }
    const uint64_t cost = groups.size() * 128 * graph.arcs().size();
    if (groups.size() < 2 || groups.size() == graph.numRanks() || trials < cost)
      continue;
    trials -= cost;
    GroupRates rates;
    for (const auto &[number, members] : groups) {
      std::vector<std::optional<bool>> sides(graph.numRanks(), false);
      for (uint32_t rank : members)
        sides[rank] = true;
      rates.out.add(findMinCut(graph, sides).capacity);
      for (std::optional<bool> &side : sides)
        side = !*side;
      rates.in.add(findMinCut(graph, sides).capacity);
    }
    MessagesOfElement ofGroups = messages;
    if (machine->switches && !shareSwitches(*machine, groupOf))
      ofGroups.multicasts = ofGroups.adds = false;
    std::optional<VolumeBound> bound = rates.bound(ofGroups, groups.size(), level.name);
    if (bound && (!tightest || bound->isTighterThan(*tightest)))
      tightest = std::move(bound);
  }
  return tightest;
}
