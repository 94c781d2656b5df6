//===- ConcurrentPlans.cpp - Engines that share a network -----------------===//
//
// Every plan has an engine with a queue of its own (Coordinator.h). The network has the routes of
// all connections, plan after plan.
//
// Implements rules 49 and 50.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/ConcurrentPlans.h"

#include "Engine.h"

#include "cclc/Sim/Coordinator.h"
#include "cclc/Support/MemoryBudget.h"

using namespace cclc;

/// The routes of all connections, plan after plan, then the routes between which messages choose.
static RouteTable joinRoutes(ArrayRef<ConcurrentPlan> plans) {
  RouteTable joint(plans.front().placed.machine);
  for (const ConcurrentPlan &plan : plans)
    for (uint32_t c = 0; c < plan.placed.numRoutes(); ++c)
      joint.add(plan.placed.routes.linksOf(plan.placed.routes[c]));
  uint32_t first = 0;
  for (const ConcurrentPlan &plan : plans) {
    const RouteTable &routes = plan.placed.routes;
    for (uint32_t c = 0; routes.hasChoices() && c < plan.placed.placedConnections.size(); ++c) {
      RouteTable::Choice choice = routes.choice(c);
      std::vector<Path> paths;
      for (uint32_t r = choice.first; r < choice.first + choice.count; ++r)
        paths.emplace_back(routes.linksOf(routes[r]));
      if (!paths.empty())
        joint.addChoice(first + c, paths);
    }
    first += plan.placed.numRoutes();
  }
  return joint;
}

ConcurrentResult cclc::simulateConcurrently(ArrayRef<ConcurrentPlan> plans, StringRef network,
                                            const std::function<void(uint64_t)> &onProgress) {
  MemoryBudget::Work work("the simulation");
  std::vector<const PlacedPlan *> placed;
  for (const ConcurrentPlan &plan : plans)
    placed.push_back(&plan.placed);
  SharedPes pes(placed);
  RouteTable routes = joinRoutes(plans);
  Coordinator<Engine> coordinator(network, routes);
  std::vector<const Engine *> engines;
  for (size_t p = 0; p < plans.size(); ++p) {
    MachineShare share = pes.share(p, plans[p].start);
    uint32_t first = share.firstConnection;
    auto engine =
        std::make_unique<Engine>(plans[p].placed, plans[p].sizing, coordinator.sharedNetwork(),
                                 plans[p].options, std::move(share));
    engines.push_back(engine.get());
    coordinator.add(std::move(engine), first, plans[p].start);
  }
  uint64_t handled = 0;
  return coordinator.run([&] {
    if (!onProgress || ++handled % eventsBetweenReports)
      return;
    uint64_t steps = 0;
    for (const Engine *engine : engines)
      steps += engine->executedSteps();
    onProgress(steps);
  });
}
