//===- Dragonfly.cpp - Groups of routers ----------------------------------===//
//
// A dragonfly (Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology",
// ISCA 2008). The global ports of a group are numbered over its routers; port k leads to the group
// k mod (groups - 1) + 1 further on, and ends at the port of that group that leads back (the
// palm-tree arrangement). Ports that remain after the last whole round over all groups are unused.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

Dragonfly Dragonfly::read(JsonObject &file, LinkValues link) {
  Dragonfly shape;
  JsonObject object = file.object("dragonfly");
  object.requireNumber("groups", shape.groups, 1, maxEndpoints);
  object.requireNumber("routers", shape.routers, 1, maxEndpoints);
  object.requireNumber("endpoints", shape.endpoints, 1, maxEndpoints);
  object.number("global_links", shape.globalLinks, 1, maxEndpoints);
  object.time("overhead", shape.overhead);
  shape.local = LinkValues::read(object.object("local"), link);
  shape.global = LinkValues::read(object.object("global"), link);
  uint64_t globalPorts = uint64_t(shape.routers) * shape.globalLinks;
  if (shape.groups > 1 && globalPorts < shape.groups - 1)
    object.error("groups",
                 formatv("is {0}, but the {1} global links of a group connect at most {2}",
                         shape.groups, globalPorts, globalPorts + 1));
  uint64_t links = shape.groups * (globalPorts + uint64_t(shape.routers) * shape.routers);
  if (uint64_t(shape.groups) * shape.routers > maxEndpoints || links > (uint64_t(1) << 24))
    object.error("routers", "results in too many routers or links");
  object.finish();
  return shape;
}

void Dragonfly::build(ArrayRef<NodeId> ports, LinkValues link, MachineBuilder &builder) const {
  std::vector<NodeId> nodes;
  for (uint32_t g = 0; g < groups; ++g)
    for (uint32_t r = 0; r < routers; ++r)
      nodes.push_back(builder.addNode(formatv("group{0}.router{1}", g, r), overhead));
  for (uint32_t p = 0; p < ports.size(); ++p)
    builder.addDuplex(ports[p], nodes[p / endpoints], link.rate, link.propagation);
  for (uint32_t g = 0; g < groups; ++g)
    for (uint32_t a = 0; a < routers; ++a)
      for (uint32_t b = a + 1; b < routers; ++b)
        builder.addDuplex(nodes[g * routers + a], nodes[g * routers + b], local.rate,
                          local.propagation);
  if (groups == 1)
    return;
  uint32_t rounds = routers * globalLinks / (groups - 1);
  for (uint32_t g = 0; g < groups; ++g)
    for (uint32_t k = 0; k < rounds * (groups - 1); ++k) {
      uint32_t distance = k % (groups - 1) + 1, other = (g + distance) % groups;
      if (other < g)
        continue; // has been added from the other side
      uint32_t back = k / (groups - 1) * (groups - 1) + (groups - 1 - distance);
      builder.addDuplex(nodes[g * routers + k / globalLinks],
                        nodes[other * routers + back / globalLinks], global.rate,
                        global.propagation);
    }
}
