//===- SwitchRoutes.cpp - The ranks and links of operations ---------------===//
//
// An operation of a switch has the peers of its threadblock and the rank itself as members, each of
// which needs the first link of its routes to the others to lead to one switch. A rank has the same
// two routes in all operations, because its links lead to one switch.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Network/SwitchRoutes.h"

#include "cclc/IR/StepNames.h"
#include "cclc/Target/SwitchPorts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

/// The ranks of an operation of \p tb: its peers and itself.
static SmallVector<RankId, 8> membersOf(const Threadblock &tb, const Peers &peers) {
  SmallVector<RankId, 8> members(peers.group());
  members.push_back(tb.rank);
  llvm::sort(members);
  return members;
}

FailureOr<SwitchRoutes> SwitchRoutes::create(const ExecPlan &plan, const Machine &machine,
                                             ArrayRef<EndpointId> endpointOf, RouteTable &routes,
                                             DiagnosticEngine &diags) {
  SwitchRoutes result;
  if (!plan.usesSwitches())
    return result;
  result.up.resize(plan.ranks());
  result.down.resize(plan.ranks());
  auto add = [&](const Threadblock &tb, const Peers &peers, bool performs,
                 StringRef operation) -> LogicalResult {
    if (peers.size() < 2)
      return success();
    if (!performs)
      return diags
          .error({}, formatv("the plan has a {0} of r{1} and {2}, and the switches of target "
                             "{3} perform none ('switch')",
                             operation, tb.rank.index(), peerNames(peers), machine.name))
          .note({}, "compile the program for this target, so that it copies and reduces instead");
    SmallVector<RankId, 8> members = membersOf(tb, peers);
    SmallVector<EndpointId, 8> endpoints;
    for (RankId member : members)
      endpoints.push_back(endpointOf[member.index()]);
    std::optional<std::vector<SwitchPort>> ports = portsOfSwitch(machine, endpoints);
    if (!ports)
      return diags.error({}, formatv("the ranks of a {0}, {1}, have no switch of target {2} in "
                                     "common",
                                     operation, peerNames(Peers(members)), machine.name));
    for (size_t i = 0; i < members.size(); ++i) {
      OptionalIndex &up = result.up[members[i].index()];
      if (up)
        continue;
      up = routes.size();
      routes.add((*ports)[i].up);
      result.down[members[i].index()] = routes.size();
      routes.add((*ports)[i].down);
    }
    return success();
  };
  for (const Threadblock &tb : plan.threadblocks())
    if (failed(add(tb, plan.sendPeers(tb), machine.switches && machine.switches->multicasts,
                   "multicast")) ||
        failed(
            add(tb, plan.recvPeers(tb), machine.switches && machine.switches->adds, "reduction")))
      return failure();
  return result;
}
