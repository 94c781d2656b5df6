//===- RoutingKey.cpp - Routing rules by name -----------------------------===//
//
// A family with a grid or with unique routes has its own rule. The others find paths in the graph
// of links.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "MultipathRouting.h"
#include "ShortestPaths.h"

using namespace cclc;

void cclc::readRouting(JsonObject &file, MachineBuilder &builder) {
  uint32_t rule = uint32_t(builder.machine.routingRule()), seed = 0;
  builder.machine.statesRouting = file.isGiven("routing");
  file.choice("routing", routingNames, rule);
  file.number("routing_seed", seed, 0, ~uint32_t(0));
  RoutingRule chosen = RoutingRule(rule);
  if (chosen == builder.machine.routingRule() && builder.hasOwnRouting())
    return;
  if (chosen == RoutingRule::DimensionOrder)
    return file.error("routing", "cannot be dimension-order, because the machine is not a grid");
  if (chosen == RoutingRule::Shortest)
    return builder.setRouting(chosen, std::make_unique<ShortestPathRouting>());
  if (chosen == RoutingRule::UpDown)
    for (const Node &node : builder.machine.nodes())
      if (!node.tier)
        return file.error("routing",
                          "cannot be up-down, because node '" + node.name + "' has no tier");
  builder.setRouting(
      chosen, std::make_unique<MultipathRouting>(chosen, seed, std::move(builder.portNumbers)));
}
