//===- FlowGraph.h - The routed graph of a machine --------------*- C++ -*-===//
//
// The links of a machine that routes between the ranks of a communicator use, as a directed graph
// with capacities. Links that no route uses do not add to the capacity of a cut: no message can
// cross them. Synthesis and bounds start from this graph.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_FLOWGRAPH_H
#define CCL_BOUND_FLOWGRAPH_H

#include "cclc/Support/Deadline.h"
#include "cclc/Target/Machine.h"

namespace cclc {

/// All links from one node to another.
struct FlowArc {
  uint32_t from, to;
  /// The sum of the rates of the links; unlimited if one of them is.
  Bandwidth capacity;
  SmallVector<LinkId, 1> links;
};

/// A directed graph whose first nodes are the ranks, in their order. The other nodes, switches and
/// endpoints without a rank, only forward.
class FlowGraph {
public:
  /// The number of links on routes that create() visits by default.
  static constexpr uint64_t defaultBudget = uint64_t(1) << 28;

  /// The graph for ranks on \p endpoints, all different. With the rules `ecmp`, `spray` and
  /// `adaptive` it has the links of all shortest paths. If the routes have more than \p budget
  /// links in total, or at \p deadline, the graph has all present links of the machine: bounds
  /// remain valid, but may be weaker.
  static FlowGraph create(const Machine &machine, ArrayRef<EndpointId> endpoints,
                          uint64_t budget = defaultBudget, const Deadline &deadline = {});
  /// A graph without a machine, for tests: \p arcs between \p nodes nodes, of which the first
  /// \p ranks are ranks. Arcs of equal ends are joined.
  static FlowGraph of(uint32_t nodes, uint32_t ranks, ArrayRef<FlowArc> arcs);

  /// The same nodes with all arcs turned around.
  FlowGraph reversed() const;

  uint32_t numNodes() const { return theNodes.size(); }
  uint32_t numRanks() const { return ranks; }
  bool isRank(uint32_t node) const { return node < ranks; }
  /// The node of the machine.
  NodeId machineNode(uint32_t node) const { return theNodes[node]; }
  /// In the order of (from, to).
  ArrayRef<FlowArc> arcs() const { return theArcs; }
  /// False if the graph has all present links, because there were too many routes.
  bool isRouted() const { return routed; }
  /// Two ranks without a path from the first to the second; unset if there are none.
  const std::optional<std::pair<RankId, RankId>> &unreachable() const { return noPath; }

private:
  FlowGraph() = default;
  void findUnreachable();

  std::vector<NodeId> theNodes;
  std::vector<FlowArc> theArcs;
  std::optional<std::pair<RankId, RankId>> noPath;
  uint32_t ranks = 0;
  bool routed = true;
};

} // namespace cclc

#endif // CCL_BOUND_FLOWGRAPH_H
