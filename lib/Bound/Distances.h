//===- Distances.h - Latencies between the nodes of a graph -----*- C++ -*-===//
//
// Shortest paths in the flow graph, which no sequence of routes undercuts (Dijkstra, Numerische
// Mathematik 1, 1959).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_BOUND_DISTANCES_H
#define CCL_LIB_BOUND_DISTANCES_H

#include "cclc/Bound/FlowGraph.h"
#include "cclc/Support/Grouped.h"

#include <queue>

namespace cclc {

/// Distances in the latencies of links.
class Distances {
public:
  Distances(const Machine &machine, const FlowGraph &graph)
      : graph(graph), out(graph.numNodes(), graph.arcs().size(),
                          [&](uint32_t a) { return graph.arcs()[a].from; }) {
    for (const FlowArc &arc : graph.arcs()) {
      SimTime least = SimTime::max();
      for (LinkId link : arc.links)
        least = std::min(least, machine.latency(machine.link(link)));
      latencies.push_back(least);
    }
  }

  /// From \p source to every node; max() without a path. With \p toNearest, stops at the first
  /// other rank and returns only its distance.
  std::vector<SimTime> from(uint32_t source, SimTime *toNearest = nullptr) {
    std::vector<SimTime> distance(graph.numNodes(), SimTime::max());
    using Entry = std::pair<SimTime, uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    distance[source] = SimTime();
    queue.push({SimTime(), source});
    while (!queue.empty()) {
      auto [at, node] = queue.top();
      queue.pop();
      if (at != distance[node])
        continue;
      if (toNearest && graph.isRank(node) && node != source) {
        *toNearest = at;
        return {};
      }
      for (uint32_t a : out[node]) {
        SimTime next = at + latencies[a];
        uint32_t to = graph.arcs()[a].to;
        if (next >= distance[to])
          continue;
        distance[to] = next;
        queue.push({next, to});
      }
    }
    return distance;
  }

private:
  const FlowGraph &graph;
  Grouped out; ///< by node: the arcs out of it
  std::vector<SimTime> latencies;
};

} // namespace cclc

#endif // CCL_LIB_BOUND_DISTANCES_H
