//===- EqualPaths.cpp - The graph of shortest paths -----------------------===//
//
// Distances from the destination over the reversed links (Distances.h); a link belongs to a
// shortest path if it is as long as the difference of the distances of its ends. Paths that go up
// the tiers and then down are those of a graph with two states for each node, in which a link
// downwards leads to the second state and a link upwards exists in the first state only (Schroeder
// et al., Autonet, IEEE JSAC 9(8), 1991).
//
// Implements rule 43.
//
//===----------------------------------------------------------------------===//

#include "EqualPaths.h"

#include "Distances.h"

using namespace cclc;

bool EqualPaths::goesUp(const Machine &machine, const Link &link) const {
  return machine.nodes()[link.from.index()].tier < machine.nodes()[link.to.index()].tier;
}

EqualPaths::State EqualPaths::after(const Machine &machine, State state, const Link &link) const {
  if (!upDown)
    return link.to.index();
  uint32_t nodes = machine.nodes().size();
  bool down = state >= nodes || !goesUp(machine, link);
  return link.to.index() + (down ? nodes : 0);
}

EqualPaths::Ways EqualPaths::compute(const Machine &machine, NodeId dst) const {
  const uint32_t nodes = machine.nodes().size(), states = upDown ? 2 * nodes : nodes;
  struct Edge {
    State from, to;
    LinkId link;
    int64_t weight;
  };
  std::vector<Edge> edges;
  for (uint32_t l = 0; l < machine.links().size(); ++l) {
    const Link &link = machine.links()[l];
    if (!link.present)
      continue;
    int64_t weight = weightOf(machine, link);
    edges.push_back(
        {link.from.index(), after(machine, link.from.index(), link), LinkId(l), weight});
    if (State down = link.from.index() + nodes; upDown && !goesUp(machine, link))
      edges.push_back({down, after(machine, down, link), LinkId(l), weight});
  }
  // The destination can be reached in both states: join them by an end state.
  State end = states;
  std::vector<Arc> arcs;
  for (const Edge &edge : edges)
    arcs.push_back({edge.to, edge.from, edge.weight});
  for (State last = dst.index(); last < states; last += nodes)
    arcs.push_back({end, last, 0});
  std::vector<int64_t> distance = distancesFrom(end, states + 1, arcs);

  auto isOnPath = [&](const Edge &edge) {
    return distance[edge.to] != noPath && distance[edge.from] == distance[edge.to] + edge.weight;
  };
  Ways ways;
  ways.links = Grouped(states, [&](auto add) {
    for (const Edge &edge : edges)
      if (isOnPath(edge))
        add(edge.from, edge.link.index());
  });

  // Count in the order of the distances, so that all successors of a state are counted before it.
  std::vector<State> order;
  for (State s = 0; s < states; ++s)
    if (distance[s] != noPath)
      order.push_back(s);
  std::sort(order.begin(), order.end(), [&](State a, State b) {
    return distance[a] != distance[b] ? distance[a] < distance[b] : a < b;
  });
  ways.paths.assign(states, 0);
  for (State s : order) {
    uint64_t paths = distance[s] == 0;
    for (uint32_t link : ways.links[s])
      paths += ways.paths[after(machine, s, machine.link(LinkId(link)))];
    ways.paths[s] = std::min<uint64_t>(paths, ~uint32_t(0));
  }
  return ways;
}

const EqualPaths::Ways &EqualPaths::waysTo(const Machine &machine, NodeId dst) const {
  // Several threads may use a machine. References stay valid.
  std::lock_guard lock(mutex);
  std::unique_ptr<Ways> &ways = destinations[dst.index()];
  if (!ways)
    ways = std::make_unique<Ways>(compute(machine, dst));
  return *ways;
}

uint32_t EqualPaths::count(const Machine &machine, EndpointId src, EndpointId dst) const {
  const Ways &ways = waysTo(machine, machine.endpointNode(dst));
  return ways.paths[machine.endpointNode(src).index()];
}

void EqualPaths::walk(const Machine &machine, EndpointId src, EndpointId dst,
                      llvm::function_ref<uint32_t(NodeId, uint32_t)> pick,
                      SmallVectorImpl<LinkId> &links) const {
  NodeId end = machine.endpointNode(dst), at = machine.endpointNode(src);
  const Ways &ways = waysTo(machine, end);
  State state = at.index();
  if (ways.paths[state] == 0)
    return;
  while (at != end) {
    ArrayRef<uint32_t> choices = ways.links[state];
    LinkId link(choices[choices.size() > 1 ? pick(at, choices.size()) : 0]);
    links.push_back(link);
    state = after(machine, state, machine.link(link));
    at = machine.link(link).to;
  }
}

void EqualPaths::path(const Machine &machine, EndpointId src, EndpointId dst, uint32_t number,
                      SmallVectorImpl<LinkId> &links) const {
  NodeId end = machine.endpointNode(dst), at = machine.endpointNode(src);
  const Ways &ways = waysTo(machine, end);
  State state = at.index();
  while (at != end) {
    for (uint32_t l : ways.links[state]) {
      LinkId link(l);
      State next = after(machine, state, machine.link(link));
      if (number >= ways.paths[next]) {
        number -= ways.paths[next];
        continue;
      }
      links.push_back(link);
      state = next;
      at = machine.link(link).to;
      break;
    }
  }
}

uint64_t EqualPaths::addLinks(const Machine &machine, ArrayRef<EndpointId> sources, EndpointId dst,
                              llvm::BitVector &used) const {
  const Ways &ways = waysTo(machine, machine.endpointNode(dst));
  llvm::BitVector seen(ways.paths.size());
  std::vector<State> stack;
  auto visit = [&](State state) {
    if (seen.test(state))
      return;
    seen.set(state);
    stack.push_back(state);
  };
  for (EndpointId src : sources)
    if (State start = machine.endpointNode(src).index(); src != dst && ways.paths[start] != 0)
      visit(start);
  uint64_t visited = 0;
  while (!stack.empty()) {
    State state = stack.back();
    stack.pop_back();
    for (uint32_t link : ways.links[state]) {
      used.set(link);
      visit(after(machine, state, machine.link(LinkId(link))));
    }
    visited += ways.links[state].size();
  }
  return visited;
}
