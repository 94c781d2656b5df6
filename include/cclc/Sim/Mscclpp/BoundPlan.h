//===- BoundPlan.h - An MSCCL++ plan bound to a machine ---------*- C++ -*-===//

#ifndef CCL_SIM_MSCCLPP_BOUNDPLAN_H
#define CCL_SIM_MSCCLPP_BOUNDPLAN_H

#include "cclc/Mscclpp/Plan.h"
#include "cclc/Sim/Network/RouteTable.h"

#include <map>

namespace cclc::mscclpp {

/// The routes between the ranks of a plan, which run on endpoints of a machine with a table of the
/// executor.
class BoundPlan {
public:
  const Plan &plan;
  const Machine &machine;
  const MscclppModel &model;
  RouteTable routes;

  /// \p endpoints is by rank; empty: the first ones. Fails if the machine does not have the ranks,
  /// the channels or the paths that the plan uses, or if a memory or switch channel leaves a node.
  static FailureOr<BoundPlan> create(const Plan &plan, const Machine &machine,
                                     DiagnosticEngine &diags, ArrayRef<uint32_t> endpoints = {});

  EndpointId endpoint(RankId rank) const { return endpointOf[rank.index()]; }
  /// The number of the route between two ranks that the plan connects.
  uint32_t route(RankId from, RankId to) const { return between.at({from, to}); }
  /// The numbers of the routes from a member of a group to the switch, and from it to the member.
  uint32_t toSwitch(RankId rank) const { return switchLinks.at(rank).first; }
  uint32_t fromSwitch(RankId rank) const { return switchLinks.at(rank).second; }
  SimTime latency(uint32_t route) const { return routes[route].latency; }

private:
  BoundPlan(const Plan &plan, const Machine &machine, std::vector<EndpointId> endpointOf)
      : plan(plan), machine(machine), model(*machine.mscclpp), routes(machine),
        endpointOf(std::move(endpointOf)) {}
  LogicalResult addPair(RankId a, RankId b, bool byMemory, DiagnosticEngine &diags);
  LogicalResult addGroup(ArrayRef<RankId> members, DiagnosticEngine &diags);

  std::vector<EndpointId> endpointOf; ///< by rank
  std::map<std::pair<RankId, RankId>, uint32_t> between;
  std::map<RankId, std::pair<uint32_t, uint32_t>> switchLinks;
};

} // namespace cclc::mscclpp

#endif // CCL_SIM_MSCCLPP_BOUNDPLAN_H
