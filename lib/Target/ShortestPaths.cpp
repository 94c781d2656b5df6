//===- ShortestPaths.cpp - Trees of shortest paths and detours ------------===//
//
// One tree for each source, computed when a route from the source is first requested, and cached.
// Ties are resolved in the order of the links. Tables for all pairs would take memory quadratic in
// the endpoints.
//
//===----------------------------------------------------------------------===//

#include "ShortestPaths.h"

#include "Distances.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

void ShortestPathRouting::walk(const Machine &machine, EndpointId src, EndpointId dst, bool other,
                               SmallVectorImpl<LinkId> &links) const {
  NodeId source = machine.endpointNode(src);
  const Tree &ways = tree(machine, source);
  for (NodeId at = machine.endpointNode(dst); at != source;) {
    const WaysIn &in = ways[at.index()];
    bool leaves = other && in.other;
    OptionalId<LinkId> link = leaves ? in.other : in.taken;
    other &= !leaves;
    if (!link) {
      links.clear();
      return;
    }
    links.push_back(*link);
    at = machine.link(*link).from;
  }
  if (other)
    links.clear();
  std::reverse(links.begin(), links.end());
}

void ShortestPathRouting::route(const Machine &machine, EndpointId src, EndpointId dst,
                                SmallVectorImpl<LinkId> &links) const {
  walk(machine, src, dst, /*other=*/false, links);
}

void ShortestPathRouting::equalRoute(const Machine &machine, EndpointId src, EndpointId dst,
                                     SmallVectorImpl<LinkId> &links) const {
  walk(machine, src, dst, /*other=*/true, links);
}

const ShortestPathRouting::Tree &ShortestPathRouting::tree(const Machine &machine,
                                                           NodeId source) const {
  // Several threads may use a machine. References to trees stay valid.
  std::lock_guard lock(mutex);
  Tree &into = trees[source.index()];
  if (!into.empty())
    return into;
  std::vector<Arc> arcs;
  std::vector<LinkId> ids;
  for (uint32_t l = 0; l < machine.links().size(); ++l) {
    const Link &link = machine.links()[l];
    if (!link.present)
      continue;
    ids.push_back(LinkId(l));
    arcs.push_back({link.from.index(), link.to.index(), weightOf(machine, link)});
  }
  std::vector<int64_t> distance =
      distancesFrom(source.index(), uint32_t(machine.nodes().size()), arcs);
  // Among equal links into a node, prefer those with the lowest numbers.
  into.resize(machine.nodes().size());
  for (size_t i = 0; i < ids.size(); ++i) {
    auto [from, to, weight] = arcs[i];
    bool reached = distance[from] != noPath;
    if (!reached || to == source.index() || distance[from] + weight != distance[to])
      continue;
    if (!into[to].taken)
      into[to].taken = ids[i];
    else if (!into[to].other)
      into[to].other = ids[i];
  }
  return into;
}

void DetourRouting::route(const Machine &machine, EndpointId src, EndpointId dst,
                          SmallVectorImpl<LinkId> &links) const {
  rule->route(machine, src, dst, links);
  if (llvm::all_of(links, [&](LinkId link) { return machine.link(link).present; }))
    return;
  links.clear();
  detours.route(machine, src, dst, links);
}

void DetourRouting::equalRoute(const Machine &machine, EndpointId src, EndpointId dst,
                               SmallVectorImpl<LinkId> &links) const {
  rule->route(machine, src, dst, links);
  bool intact = llvm::all_of(links, [&](LinkId link) { return machine.link(link).present; });
  links.clear();
  if (intact)
    rule->equalRoute(machine, src, dst, links);
  else
    detours.equalRoute(machine, src, dst, links);
}
