//===- PlacedPlan.h - An MSCCL++ plan bound to a machine --------*- C++ -*-===//

#ifndef CCL_SIM_MSCCLPP_PLACEDPLAN_H
#define CCL_SIM_MSCCLPP_PLACEDPLAN_H

#include "cclc/Mscclpp/Plan.h"
#include "cclc/Sim/PlacedPlan.h"

#include <map>

namespace cclc::mscclpp {

/// The routes between the ranks of a plan, which run on endpoints of a machine with a table of the
/// executor.
class PlacedPlan : public PlanOnMachine {
public:
  const Plan &plan;
  const MscclppModel &model;
  RouteTable routes;

  /// Ranks run on the endpoints that the plan names, or on the first ones if it names none. Fails
  /// if the machine does not have the ranks, the channels or the paths that the plan uses, or if a
  /// memory or switch channel leaves a node.
  static FailureOr<PlacedPlan> create(const Plan &plan, const Machine &machine,
                                      DiagnosticEngine &diags);

  EndpointId endpoint(RankId rank) const { return endpointOf[rank.index()]; }
  /// The number of the route between two ranks that the plan connects.
  uint32_t route(RankId from, RankId to) const { return between.at({from, to}); }
  /// The numbers of the routes from a member of a group to the switch, and from it to the member.
  uint32_t toSwitch(RankId rank) const { return switchLinks.at(rank).first; }
  uint32_t fromSwitch(RankId rank) const { return switchLinks.at(rank).second; }
  SimTime latency(uint32_t route) const { return routes[route].latency; }

private:
  PlacedPlan(const Plan &plan, const Machine &machine)
      : PlanOnMachine(plan, machine, Slots::unlimited()), plan(plan), model(*machine.mscclpp),
        routes(machine) {}
  LogicalResult addPair(RankId a, RankId b, bool byMemory, DiagnosticEngine &diags);
  LogicalResult addGroup(ArrayRef<RankId> members, DiagnosticEngine &diags);

  std::map<std::pair<RankId, RankId>, uint32_t> between;
  std::map<RankId, std::pair<uint32_t, uint32_t>> switchLinks;
};

} // namespace cclc::mscclpp

#endif // CCL_SIM_MSCCLPP_PLACEDPLAN_H
