//===- Concurrent.cpp - MSCCL++ plans that share a network ----------------===//
//
// Every plan has a simulation with a queue of its own (Coordinator.h). The network has the routes
// of all plans.
//
// Implements rule M11.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Mscclpp/Concurrent.h"

#include "Simulation.h"

#include "cclc/Mscclpp/Executor.h"
#include "cclc/Sim/Coordinator.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace cclc::mscclpp {

using llvm::formatv;

namespace {
/// The identifiers of the barriers of a rank.
std::vector<uint32_t> barriersOf(const Plan &plan, RankId rank) {
  std::vector<uint32_t> ids;
  for (const mscclpp::Threadblock &tb : plan.threadblocks(plan.ranks()[rank.index()]))
    for (const Operation &op : plan.ops(tb))
      if (op.op == mscclpp::OpKind::Barrier)
        ids.push_back(plan.ids(op).front());
  llvm::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}
} // namespace

ConcurrentResult simulateConcurrently(ArrayRef<ConcurrentPlan> plans, StringRef network) {
  MemoryBudget::Work work("the simulation");
  RouteTable routes(plans.front().placed.machine);
  std::vector<uint32_t> firstRoutes; // by plan
  for (const ConcurrentPlan &plan : plans) {
    firstRoutes.push_back(routes.size());
    for (const Route &route : plan.placed.routes)
      routes.add(plan.placed.routes.linksOf(route));
  }
  Coordinator<Simulation> coordinator(network, routes);
  for (size_t p = 0; p < plans.size(); ++p)
    coordinator.add(std::make_unique<Simulation>(plans[p].placed, plans[p].sized,
                                                 coordinator.sharedNetwork(), plans[p].options,
                                                 NetworkShare{firstRoutes[p], plans[p].start}),
                    firstRoutes[p], plans[p].start);
  return coordinator.run([] {});
}

LogicalResult checkSharedEndpoints(ArrayRef<const PlacedPlan *> plans, ArrayRef<std::string> titles,
                                   DiagnosticEngine &diags) {
  std::map<EndpointId, std::vector<std::pair<size_t, RankId>>> guests;
  for (size_t p = 0; p < plans.size(); ++p)
    for (uint32_t r = 0; r < plans[p]->plan.ranks().size(); ++r)
      guests[plans[p]->endpoint(RankId(r))].push_back({p, RankId(r)});
  uint32_t most = executorConstraints()[Limit::Threadblocks];
  bool warned = false;
  for (const auto &[endpoint, all] : guests) {
    uint32_t threadblocks = 0;
    std::map<uint32_t, size_t> users; // by barrier: the first plan
    for (auto [p, rank] : all) {
      const Plan &plan = plans[p]->plan;
      threadblocks += plan.ranks()[rank.index()].threadblocks.count;
      for (uint32_t id : barriersOf(plan, rank)) {
        auto [it, isNew] = users.try_emplace(id, p);
        if (isNew || warned)
          continue;
        warned = true;
        diags.warning({}, formatv("'{0}' and '{1}' use barrier {2} on endpoint {3}, and the "
                                  "executor has one counter for both: run them one after the other",
                                  titles[it->second], titles[p], id, endpoint.index()));
      }
    }
    if (all.size() > 1 && threadblocks > most)
      return diags.error(
          {}, illegalFor("mscclpp", formatv("{0} threadblocks of {1} plans on "
                                            "endpoint {2}, the limit is {3}; run "
                                            "the plans on different endpoints, or "
                                            "one after the other",
                                            threadblocks, all.size(), endpoint.index(), most)));
  }
  return success();
}

} // namespace cclc::mscclpp
