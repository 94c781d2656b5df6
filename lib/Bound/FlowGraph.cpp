//===- FlowGraph.cpp - Collects the links of routes -----------------------===//
//
// Destinations are visited in an order that spreads them over the machine, so that the links of a
// regular machine are complete after a few of them, and the search ends. Parallel links are joined
// to one arc, because only the sum of their rates matters for a cut.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/FlowGraph.h"

#include "cclc/Support/Grouped.h"

#include <numeric>

using namespace cclc;

namespace {
/// The links of the routes between \p endpoints; all present links if the routes exceed \p budget
/// or take until \p deadline.
std::pair<llvm::BitVector, bool> usedLinks(const Machine &machine, ArrayRef<EndpointId> endpoints,
                                           uint64_t budget, const Deadline &deadline) {
  llvm::BitVector present(machine.links().size()), used(machine.links().size());
  for (uint32_t l = 0; l < machine.links().size(); ++l)
    if (machine.links()[l].present)
      present.set(l);
  // A rule that searches visits all links for each endpoint.
  bool searches = machine.routingRule() != RoutingRule::DimensionOrder;
  uint64_t perEndpoint = searches ? present.size() : 0, visited = 0;
  size_t n = endpoints.size();
  size_t stride = std::max<size_t>(n * 89 / 144, 1);
  while (std::gcd(stride, n) > 1)
    ++stride;
  for (size_t i = 0; i < n; ++i) {
    visited += perEndpoint + n;
    if (visited <= budget)
      visited += machine.routes().addUsedLinks(machine, endpoints, endpoints[i * stride % n], used);
    if (visited > budget || deadline.hasPassed())
      return {std::move(present), false};
    if (used == present)
      break;
  }
  return {std::move(used), true};
}

/// \p arcs between \p nodes nodes in the order of (from, to), those with equal ends joined.
std::vector<FlowArc> joined(std::vector<FlowArc> arcs, uint32_t nodes) {
  std::vector<uint32_t> order(arcs.size());
  std::iota(order.begin(), order.end(), 0);
  order = sortedBy(order, nodes, [&](uint32_t arc) { return arcs[arc].to; });
  order = sortedBy(order, nodes, [&](uint32_t arc) { return arcs[arc].from; });
  std::vector<FlowArc> result;
  result.reserve(arcs.size());
  for (uint32_t number : order) {
    FlowArc &arc = arcs[number];
    if (result.empty() || result.back().from != arc.from || result.back().to != arc.to) {
      result.push_back(std::move(arc));
      continue;
    }
    FlowArc &into = result.back();
    bool unlimited = into.capacity.isUnlimited() || arc.capacity.isUnlimited();
    into.capacity = unlimited
                        ? Bandwidth()
                        : Bandwidth(into.capacity.bytesPerSecond() + arc.capacity.bytesPerSecond());
    into.links.append(arc.links.begin(), arc.links.end());
  }
  return result;
}
} // namespace

FlowGraph FlowGraph::create(const Machine &machine, ArrayRef<EndpointId> endpoints, uint64_t budget,
                            const Deadline &deadline) {
  FlowGraph graph;
  auto [used, routed] = usedLinks(machine, endpoints, budget, deadline);
  graph.routed = routed;
  graph.ranks = endpoints.size();
  std::vector<OptionalIndex> numbers(machine.nodes().size());
  auto numberOf = [&](NodeId node) {
    OptionalIndex &number = numbers[node.index()];
    if (!number) {
      number = graph.theNodes.size();
      graph.theNodes.push_back(node);
    }
    return *number;
  };
  for (EndpointId endpoint : endpoints) {
    assert(!numbers[machine.endpointNode(endpoint).index()] && "two ranks on one endpoint");
    numberOf(machine.endpointNode(endpoint));
  }
  std::vector<FlowArc> arcs;
  for (unsigned l : used.set_bits()) {
    const Link &link = machine.links()[l];
    uint32_t from = numberOf(link.from), to = numberOf(link.to);
    arcs.push_back({from, to, link.bandwidth, {LinkId(l)}});
  }
  graph.theArcs = joined(std::move(arcs), graph.numNodes());
  graph.findUnreachable();
  return graph;
}

FlowGraph FlowGraph::of(uint32_t nodes, uint32_t ranks, ArrayRef<FlowArc> arcs) {
  FlowGraph graph;
  for (uint32_t node = 0; node < nodes; ++node)
    graph.theNodes.push_back(NodeId(node));
  graph.ranks = ranks;
  graph.theArcs = joined(arcs.vec(), nodes);
  graph.findUnreachable();
  return graph;
}

FlowGraph FlowGraph::reversed() const {
  FlowGraph graph = *this;
  for (FlowArc &arc : graph.theArcs)
    std::swap(arc.from, arc.to);
  graph.theArcs = joined(std::move(graph.theArcs), graph.numNodes());
  if (graph.noPath)
    std::swap(graph.noPath->first, graph.noPath->second);
  return graph;
}

void FlowGraph::findUnreachable() {
  // All ranks reach each other if rank 0 reaches all of them and all of them reach it.
  for (bool forwards : {true, false}) {
    std::vector<std::vector<uint32_t>> next(numNodes());
    for (const FlowArc &arc : theArcs)
      next[forwards ? arc.from : arc.to].push_back(forwards ? arc.to : arc.from);
    llvm::BitVector seen(numNodes());
    std::vector<uint32_t> stack{0};
    seen.set(0);
    while (!stack.empty()) {
      uint32_t node = stack.back();
      stack.pop_back();
      for (uint32_t to : next[node])
        if (!seen.test(to)) {
          seen.set(to);
          stack.push_back(to);
        }
    }
    for (uint32_t rank = 0; rank < ranks && !noPath; ++rank)
      if (!seen.test(rank))
        noPath = forwards ? std::pair(RankId(0), RankId(rank)) : std::pair(RankId(rank), RankId(0));
  }
}
