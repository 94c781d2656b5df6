#include "Neighbourhood.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace cclc;

bool cclc::hasGrid(const Machine &machine) {
  return llvm::any_of(machine.geometry().levels, [](const GridLevel &level) {
    return level.kind != GridKind::Flat && level.size() > 2;
  });
}

/// The rate and propagation of each link of every node, sorted.
static std::map<uint32_t, std::vector<std::pair<uint64_t, int64_t>>>
linksOfNodes(const Machine &machine) {
  std::map<uint32_t, std::vector<std::pair<uint64_t, int64_t>>> links;
  for (const Link &link : machine.links())
    for (NodeId node : {link.from, link.to})
      links[node.index()].emplace_back(link.bandwidth.bytesPerSecond(),
                                       link.propagation.picoseconds());
  for (auto &[node, list] : links)
    llvm::sort(list);
  return links;
}

bool cclc::mayGainByPlacement(const Machine &machine) {
  if (hasGrid(machine) || machine.geometry().levels.size() < 2 ||
      llvm::any_of(machine.links(), [](const Link &link) { return !link.present; }))
    return true;
  auto links = linksOfNodes(machine);
  const auto &first = links[machine.endpointNode(EndpointId(0)).index()];
  for (uint32_t e = 1; e < machine.numEndpoints(); ++e)
    if (links[machine.endpointNode(EndpointId(e)).index()] != first)
      return true;
  return false;
}
