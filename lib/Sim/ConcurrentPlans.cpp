//===- ConcurrentPlans.cpp - Engines that share a network -----------------===//
//
// Every plan has an engine with a queue of its own; the engine with the earliest event executes it.
// The network has the routes of all connections, plan after plan. Events of the network are in the
// queue of the plan whose event caused them, so that a plan that shares nothing has the same events
// in the same order as alone.
//
// Implements rules 49 and 50.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/ConcurrentPlans.h"

#include "Engine.h"

#include "cclc/Sim/Network/EarliestEvent.h"
#include "cclc/Support/MemoryBudget.h"

#include <algorithm>

using namespace cclc;

namespace {
class Coordinator final : NetworkHost {
public:
  Coordinator(ArrayRef<ConcurrentPlan> plans, StringRef networkName);

  ConcurrentResult run(const std::function<void(uint64_t)> &onProgress);

private:
  static std::vector<const BoundPlan *> boundPlans(ArrayRef<ConcurrentPlan> plans);
  uint64_t executedSteps() const;

  void schedule(SimTime at, uint32_t token) override { current->schedule(at, token); }
  void arrives(uint32_t flight, SimTime at) override {
    Engine &engine = engineOf(network->flight(flight).connection);
    engine.advanceClock(now);
    engine.arrives(flight, at);
  }
  Engine &engineOf(uint32_t connection) {
    size_t after = std::upper_bound(firstConnections.begin(), firstConnections.end(), connection) -
                   firstConnections.begin();
    return *engines[after - 1];
  }

  ArrayRef<ConcurrentPlan> plans;
  SharedPes pes;
  RouteTable routes;
  std::unique_ptr<NetworkModel> network;
  std::vector<SimOptions> options; ///< by plan, as the following
  std::vector<std::unique_ptr<Engine>> engines;
  std::vector<uint32_t> firstConnections;
  Engine *current = nullptr; ///< the engine whose event is executed
  SimTime now;
};

/// The routes of all connections, plan after plan, then the routes between which messages choose.
RouteTable joinRoutes(ArrayRef<ConcurrentPlan> plans) {
  RouteTable joint(plans.front().bound.machine);
  for (const ConcurrentPlan &plan : plans)
    for (uint32_t c = 0; c < plan.bound.numRoutes(); ++c)
      joint.add(plan.bound.routes.linksOf(plan.bound.routes[c]));
  uint32_t first = 0;
  for (const ConcurrentPlan &plan : plans) {
    const RouteTable &routes = plan.bound.routes;
    for (uint32_t c = 0; routes.hasChoices() && c < plan.bound.bound.size(); ++c) {
      RouteTable::Choice choice = routes.choice(c);
      std::vector<Path> paths;
      for (uint32_t r = choice.first; r < choice.first + choice.count; ++r)
        paths.emplace_back(routes.linksOf(routes[r]));
      if (!paths.empty())
        joint.addChoice(first + c, paths);
    }
    first += plan.bound.numRoutes();
  }
  return joint;
}
} // namespace

std::vector<const BoundPlan *> Coordinator::boundPlans(ArrayRef<ConcurrentPlan> plans) {
  std::vector<const BoundPlan *> result;
  for (const ConcurrentPlan &plan : plans)
    result.push_back(&plan.bound);
  return result;
}

Coordinator::Coordinator(ArrayRef<ConcurrentPlan> plans, StringRef networkName)
    : plans(plans), pes(boundPlans(plans)), routes(joinRoutes(plans)),
      network(createNetwork(networkName, routes)), options(plans.size()) {
  network->attach(*this);
  for (size_t p = 0; p < plans.size(); ++p) {
    MachineShare share = pes.share(p, plans[p].start);
    firstConnections.push_back(share.firstConnection);
    options[p].listeners = plans[p].listeners;
    options[p].repeat = plans[p].repeat;
    options[p].skew = plans[p].skew;
    options[p].criticalPath = plans[p].criticalPath;
    engines.push_back(std::make_unique<Engine>(plans[p].bound, plans[p].sizing, *network,
                                               options[p], std::move(share)));
  }
}

uint64_t Coordinator::executedSteps() const {
  uint64_t steps = 0;
  for (const std::unique_ptr<Engine> &engine : engines)
    steps += engine->executedSteps();
  return steps;
}

ConcurrentResult Coordinator::run(const std::function<void(uint64_t)> &onProgress) {
  for (const std::unique_ptr<Engine> &engine : engines)
    engine->begin();
  uint64_t handled = 0;
  while ((current = earliest(engines, now))) {
    current->step();
    if (onProgress && ++handled % eventsBetweenReports == 0)
      onProgress(executedSteps());
  }
  ConcurrentResult result;
  for (size_t p = 0; p < plans.size(); ++p) {
    result.plans.push_back(engines[p]->finish());
    result.end = std::max(result.end, plans[p].start + result.plans.back().time);
  }
  result.links = network->linkUse();
  return result;
}

ConcurrentResult cclc::simulateConcurrently(ArrayRef<ConcurrentPlan> plans, StringRef network,
                                            const std::function<void(uint64_t)> &onProgress) {
  MemoryBudget::Work work("the simulation");
  return Coordinator(plans, network).run(onProgress);
}
