//===- MaxFlow.h - Maximum flows by push-relabel ----------------*- C++ -*-===//
//
// A flow network whose capacities change between flows. Boost computes a flow with the
// push-relabel algorithm (Goldberg and Tarjan, J. ACM 35(4), 1988).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_BOUND_MAXFLOW_H
#define CCL_LIB_BOUND_MAXFLOW_H

#include "llvm/ADT/BitVector.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <boost/multiprecision/cpp_int.hpp>

namespace cclc {

/// For flows that may exceed 64 bits: products of rates and weights.
using LargeFlow = boost::multiprecision::number<
    boost::multiprecision::cpp_int_backend<256, 256, boost::multiprecision::signed_magnitude,
                                           boost::multiprecision::unchecked, void>,
    boost::multiprecision::et_off>;

template <class Flow> class MaxFlow {
public:
  explicit MaxFlow(uint32_t nodes) : graph(nodes) {}

  using Edge = typename boost::adjacency_list_traits<boost::vecS, boost::vecS,
                                                     boost::directedS>::edge_descriptor;

  /// Adds an arc without capacity, and its residual arc.
  Edge add(uint32_t from, uint32_t to) {
    Edge there = boost::add_edge(from, to, graph).first;
    Edge back = boost::add_edge(to, from, graph).first;
    graph[there].reverse = back;
    graph[back].reverse = there;
    return there;
  }
  void setCapacity(Edge edge, const Flow &capacity) { graph[edge].capacity = capacity; }

  Flow flow(uint32_t source, uint32_t sink) {
    return boost::push_relabel_max_flow(graph, source, sink, get(&Arc::capacity, graph),
                                        get(&Arc::residual, graph), get(&Arc::reverse, graph),
                                        get(boost::vertex_index, graph));
  }

  /// After flow(): the nodes from which more could flow to \p sink, the smallest sink side of a
  /// minimum cut.
  llvm::BitVector sinkSide(uint32_t sink) const {
    llvm::BitVector side(boost::num_vertices(graph));
    std::vector<uint32_t> stack{sink};
    side.set(sink);
    while (!stack.empty()) {
      uint32_t node = stack.back();
      stack.pop_back();
      for (auto [edge, end] = boost::out_edges(node, graph); edge != end; ++edge) {
        uint32_t from = boost::target(*edge, graph);
        if (side.test(from) || graph[graph[*edge].reverse].residual <= 0)
          continue;
        side.set(from);
        stack.push_back(from);
      }
    }
    return side;
  }

private:
  struct Arc {
    Flow capacity = 0, residual = 0;
    Edge reverse;
  };
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Arc> graph;
};

} // namespace cclc

#endif // CCL_LIB_BOUND_MAXFLOW_H
