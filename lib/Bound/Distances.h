//===- Distances.h - Latencies between the nodes of a graph -----*- C++ -*-===//
//
// Shortest paths in the flow graph, which no sequence of routes undercuts.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_BOUND_DISTANCES_H
#define CCL_LIB_BOUND_DISTANCES_H

#include "cclc/Bound/FlowGraph.h"
#include "cclc/Support/ShortestPaths.h"

namespace cclc {

/// Distances in the latencies of links.
class Distances {
public:
  Distances(const Machine &machine, const FlowGraph &graph)
      : graph(graph), paths(graph.numNodes(), graph.arcs()) {
    for (const FlowArc &arc : graph.arcs()) {
      SimTime least = SimTime::max();
      for (LinkId link : arc.links)
        least = std::min(least, machine.latency(machine.link(link)));
      latencies.push_back(least);
    }
  }

  /// From \p source to every node; max() without a path.
  std::vector<SimTime> from(uint32_t source) {
    paths.from(source, latencies);
    std::vector<SimTime> distance(graph.numNodes(), SimTime::max());
    for (uint32_t node : paths.byDistance())
      distance[node] = paths.distance(node);
    return distance;
  }
  /// From \p source to the nearest other rank; zero if there is none.
  SimTime toNearest(uint32_t source) {
    auto isOther = [&](uint32_t node) { return graph.isRank(node) && node != source; };
    paths.from(source, latencies, isOther);
    uint32_t last = paths.byDistance().back();
    return isOther(last) ? paths.distance(last) : SimTime();
  }

private:
  const FlowGraph &graph;
  ShortestPaths<SimTime> paths;
  std::vector<SimTime> latencies; ///< by arc
};

} // namespace cclc

#endif // CCL_LIB_BOUND_DISTANCES_H
