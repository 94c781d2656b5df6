//===- PlacedPlan.cpp - Routes of the channels of an MSCCL++ plan ---------===//
//
// Two ranks are connected by channels of either kind, over the same links. The links of a group
// are those between its members and the switch that they have in common.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Mscclpp/PlacedPlan.h"

#include "cclc/IR/StepNames.h"
#include "cclc/Target/SwitchPorts.h"

#include "llvm/Support/FormatVariadic.h"

namespace cclc::mscclpp {

using llvm::formatv;

/// The member of the outermost level of a machine with several levels.
static uint32_t nodeOf(const Machine &machine, EndpointId endpoint) {
  const Geometry &geometry = machine.geometry();
  if (geometry.isFlat())
    return 0;
  return endpoint.index() / (machine.numEndpoints() / geometry.levels.front().size());
}

LogicalResult PlacedPlan::addPair(RankId a, RankId b, bool byMemory, DiagnosticEngine &diags) {
  if (byMemory && nodeOf(machine, endpointOf[a.index()]) != nodeOf(machine, endpointOf[b.index()]))
    return diags.error({}, formatv("the plan has a memory channel between ranks {0} and {1}, which "
                                   "are on two nodes of target {2}",
                                   a.index(), b.index(), machine.name));
  for (auto [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    if (from == to || between.count({from, to}))
      continue;
    SmallVector<LinkId, 64> links;
    machine.route(endpointOf[from.index()], endpointOf[to.index()], links);
    if (links.empty())
      return diags.error({}, formatv("target {0} has no path from rank {1} to rank {2}",
                                     machine.name, from.index(), to.index()));
    between[{from, to}] = routes.size();
    routes.add(links);
  }
  return success();
}

LogicalResult PlacedPlan::addGroup(ArrayRef<RankId> members, DiagnosticEngine &diags) {
  if (!machine.switches || !machine.switches->multicasts || !machine.switches->adds)
    return diags.error({},
                       formatv("the plan has switch channels, and the switches of target {0} do "
                               "not multicast and add ('switch')",
                               machine.name));
  if (members.size() < 2)
    return diags.error({}, "a switch channel of a single rank is not simulated");
  std::vector<EndpointId> endpoints;
  for (RankId member : members)
    endpoints.push_back(endpointOf[member.index()]);
  std::optional<std::vector<SwitchPort>> ports = portsOfSwitch(machine, endpoints);
  if (!ports)
    return diags.error({}, formatv("the ranks of a switch channel, {0}, have no switch of target "
                                   "{1} in common",
                                   peerNames(Peers(members)), machine.name));
  for (size_t i = 0; i < members.size(); ++i) {
    if (switchLinks.count(members[i]))
      continue;
    switchLinks[members[i]] = {routes.size(), routes.size() + 1};
    routes.add((*ports)[i].up);
    routes.add((*ports)[i].down);
  }
  return success();
}

FailureOr<PlacedPlan> PlacedPlan::create(const Plan &plan, const Machine &machine,
                                         DiagnosticEngine &diags) {
  if (!machine.mscclpp)
    return diags.error({}, formatv("target {0} has no values for the executor of MSCCL++ "
                                   "('mscclpp')",
                                   machine.name));
  if (plan.ranks().size() > machine.numEndpoints())
    return diags.error({}, formatv("the plan has {0} ranks, but target {1} has room for {2}",
                                   plan.ranks().size(), machine.name, machine.numEndpoints()));
  PlacedPlan result(plan, machine);
  const std::vector<uint32_t> &endpoints = plan.info().placementOnTarget;
  for (uint32_t r = 0; r < plan.ranks().size(); ++r)
    result.endpointOf.push_back(EndpointId(endpoints.empty() ? r : endpoints[r]));
  for (uint32_t r = 0; r < plan.ranks().size(); ++r) {
    const Rank &rank = plan.ranks()[r];
    for (RankId peer : plan.channels(rank, ChannelKind::Memory))
      if (failed(result.addPair(RankId(r), peer, /*byMemory=*/true, diags)))
        return failure();
    for (RankId peer : plan.channels(rank, ChannelKind::Port)) {
      if (!result.model.port)
        return diags.error({}, formatv("the plan has port channels, and target {0} has no proxies "
                                       "('mscclpp.port')",
                                       machine.name));
      if (failed(result.addPair(RankId(r), peer, /*byMemory=*/false, diags)))
        return failure();
    }
    for (const RemoteBuffer &remote : plan.remotes(rank))
      if (failed(result.addPair(RankId(r), remote.rank, remote.byMemory, diags)))
        return failure();
    for (const SwitchChannel &channel : plan.switches(rank))
      if (failed(result.addGroup(plan.members(channel), diags)))
        return failure();
  }
  return result;
}

} // namespace cclc::mscclpp
