//===- LinkList.cpp - Machines as lists of nodes and links ----------------===//
//
// A list names its nodes, some of which are endpoints, and its links. Without a rule, messages are
// routed along the path with the least propagation and overhead.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// Links of a list, so that parallel ones cannot exhaust memory.
constexpr size_t maxLinks = size_t(1) << 22;

/// The levels of a list, the outermost first; by default one.
void readLevels(JsonObject &file, uint32_t endpoints, MachineBuilder &builder) {
  Geometry geometry;
  for (JsonObject &level : file.objects("levels")) {
    constexpr const char *kinds[] = {"flat", "ring_1d", "torus_2d", "mesh_2d_no_wrap"};
    GridLevel &grid = geometry.levels.emplace_back();
    uint32_t kind = 0;
    level.requireText("name", grid.name);
    level.choice("kind", kinds, kind);
    level.requireNumber("width", grid.width, 1, maxEndpoints);
    level.number("height", grid.height, 1, maxEndpoints);
    level.finish();
    grid.kind = GridKind(kind);
  }
  if (geometry.levels.empty())
    geometry.levels = {{"rank", GridKind::Flat, endpoints, 1}};
  if (geometry.ranks() != endpoints)
    return file.error("levels", formatv("has {0} members, but there are {1} endpoints",
                                        geometry.ranks(), endpoints));
  builder.setGeometry(std::move(geometry));
}

/// Adds the links of one element of the list between the nodes of \p byName.
void readLink(JsonObject &link, const llvm::StringMap<NodeId> &byName, MachineBuilder &builder) {
  std::string from, to;
  bool duplex = true;
  uint32_t parallel = 1;
  LinkValues values;
  const bool begins = link.requireText("from", from), ends = link.requireText("to", to);
  link.onOff("duplex", duplex);
  link.rate("bandwidth", values.rate);
  link.time("propagation", values.propagation);
  if (link.isGiven("links"))
    link.number("links", parallel, 1, 1 << 10);
  link.finish();
  if (!begins || !ends)
    return;
  auto a = byName.find(from), b = byName.find(to);
  bool isFrom = a == byName.end();
  if (isFrom || b == byName.end())
    return link.error(isFrom ? "from" : "to",
                      formatv("'{0}' is not the name of a node", isFrom ? from : to));
  if (from == to)
    return link.error("to", formatv("'{0}' is the node at which the link begins", to));
  if (builder.machine.links().size() > maxLinks)
    return link.error("links", formatv("results in more than {0} links", maxLinks));
  for (uint32_t l = 0; l < parallel; ++l)
    if (duplex)
      builder.addDuplex(a->second, b->second, values.rate, values.propagation);
    else
      builder.addLink(a->second, b->second, values.rate, values.propagation);
}

/// Reports the first of \p nodes without a link, and warns of the first one that links in any
/// direction do not connect with the first.
void checkConnected(MutableArrayRef<JsonObject> nodes, const Machine &machine) {
  llvm::EquivalenceClasses<uint32_t> parts;
  for (const Link &link : machine.links())
    parts.unionSets(link.from.index(), link.to.index());
  auto nameOf = [&](uint32_t n) { return "'" + machine.nodes()[n].name + "'"; };
  for (uint32_t n = 0; nodes.size() > 1 && n < nodes.size(); ++n)
    if (parts.findLeader(n) == parts.member_end())
      return nodes[n].error("name", nameOf(n) + " has no link: add one, or remove the node");
  for (uint32_t n = 1; n < nodes.size(); ++n)
    if (!parts.isEquivalent(0, n))
      return nodes[n].warning("name", nameOf(n) + " has no path to " + nameOf(0) +
                                          ": add a link if messages between them are sent");
}

} // namespace

void cclc::buildLinkList(JsonObject &file, MachineBuilder &builder) {
  llvm::StringMap<NodeId> byName;
  uint32_t endpoints = 0;
  std::vector<JsonObject> nodes = file.objects("nodes");
  for (JsonObject &node : nodes) {
    std::string name;
    SimTime overhead;
    bool endpoint = true;
    const bool isNamed = node.requireText("name", name);
    node.time("overhead", overhead);
    node.onOff("endpoint", endpoint);
    std::optional<uint32_t> tier;
    if (endpoint)
      tier = 0;
    node.number("tier", tier, 0, maxEndpoints);
    node.finish();
    if (!isNamed)
      continue;
    if (byName.count(name))
      return node.error("name", "'" + name + "' is a duplicate");
    NodeId id = builder.addNode(name, overhead);
    byName.try_emplace(name, id);
    if (tier)
      builder.setTier(id, *tier);
    if (endpoint) {
      builder.addEndpoint(id);
      ++endpoints;
    }
  }
  for (JsonObject &link : file.objects("links"))
    readLink(link, byName, builder);
  if (endpoints == 0 && !file.hasErrors())
    return file.error("nodes", "has no endpoint");
  if (!file.hasErrors())
    checkConnected(nodes, builder.machine);
  readLevels(file, endpoints, builder);
  if (std::optional<EndpointGrid> grid = gridOfNames(builder.machine))
    builder.setGrid(std::move(*grid));
  builder.setRouting(RoutingRule::Shortest);
}
