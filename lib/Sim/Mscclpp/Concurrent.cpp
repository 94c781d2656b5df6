//===- Concurrent.cpp - MSCCL++ plans that share a network ----------------===//
//
// As for plans of steps (lib/Sim/ConcurrentPlans.cpp): every plan has a simulation with a queue of
// its own, and the one with the earliest event executes it. The network has the routes of all
// plans, and its events are in the queue of the plan whose event caused them.
//
// Implements rule M11.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Mscclpp/Concurrent.h"

#include "Simulation.h"

#include "cclc/Mscclpp/Executor.h"
#include "cclc/Sim/Network/EarliestEvent.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace cclc::mscclpp {

using llvm::formatv;

namespace {
class Coordinator final : NetworkHost {
public:
  Coordinator(ArrayRef<mscclpp::ConcurrentPlan> plans, StringRef networkName)
      : plans(plans), routes(plans.front().bound.machine) {
    for (const mscclpp::ConcurrentPlan &plan : plans) {
      firstRoutes.push_back(routes.size());
      for (const Route &route : plan.bound.routes)
        routes.add(plan.bound.routes.linksOf(route));
    }
    network = createNetwork(networkName, routes);
    network->attach(*this);
    for (size_t p = 0; p < plans.size(); ++p)
      simulations.push_back(
          std::make_unique<Simulation>(plans[p].bound, plans[p].sized, *network, plans[p].options,
                                       NetworkShare{firstRoutes[p], plans[p].start}));
  }

  ConcurrentResult run() {
    for (const auto &simulation : simulations)
      simulation->begin();
    while ((current = earliest(simulations, now)))
      current->step();
    ConcurrentResult result;
    for (size_t p = 0; p < plans.size(); ++p) {
      result.plans.push_back(simulations[p]->finish());
      result.end = std::max(result.end, plans[p].start + result.plans.back().time);
    }
    result.links = network->linkUse();
    return result;
  }

private:
  void schedule(SimTime at, uint32_t token) override { current->schedule(at, token); }
  void arrives(uint32_t flight, SimTime at) override {
    uint32_t route = network->flight(flight).connection;
    size_t after =
        std::upper_bound(firstRoutes.begin(), firstRoutes.end(), route) - firstRoutes.begin();
    simulations[after - 1]->arrivesAt(flight, at, now);
  }

  ArrayRef<mscclpp::ConcurrentPlan> plans;
  RouteTable routes;
  std::unique_ptr<NetworkModel> network;
  std::vector<uint32_t> firstRoutes;                    ///< by plan
  std::vector<std::unique_ptr<Simulation>> simulations; ///< by plan
  Simulation *current = nullptr;                        ///< whose event is executed
  SimTime now;
};

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
  return Coordinator(plans, network).run();
}

LogicalResult checkSharedEndpoints(ArrayRef<const BoundPlan *> plans, ArrayRef<std::string> titles,
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
