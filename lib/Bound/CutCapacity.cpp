//===- CutCapacity.cpp - Maximum flows between endpoints ------------------===//
//
// Boost computes the maximum flow with the algorithm of Boykov and Kolmogorov (IEEE PAMI 26, 2004).
// There is one flow network, in which a source and a sink can be connected to any endpoint; only
// these edges change from cut to cut.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/CutCapacity.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include <algorithm>

using namespace cclc;

class CutCapacity::FlowNetwork {
public:
  explicit FlowNetwork(const Machine &machine)
      : graph(machine.nodes().size() + 2), source(machine.nodes().size()), sink(source + 1) {
    for (const Link &link : machine.links())
      if (link.present)
        add(link.from.index(), link.to.index(), flowOf(link.bandwidth));
    for (uint32_t e = 0; e < machine.numEndpoints(); ++e) {
      fromSource.push_back(add(source, machine.endpointNode(EndpointId(e)).index(), 0));
      toSink.push_back(add(machine.endpointNode(EndpointId(e)).index(), sink, 0));
    }
  }

  std::optional<Bandwidth> capacity(ArrayRef<std::optional<bool>> sideOf) {
    auto capacity = boost::get(boost::edge_capacity, graph);
    for (uint32_t e = 0; e < sideOf.size(); ++e) {
      capacity[fromSource[e]] = sideOf[e] == true ? unlimited : 0;
      capacity[toSink[e]] = sideOf[e] == false ? unlimited : 0;
    }
    int64_t flow = boost::boykov_kolmogorov_max_flow(graph, source, sink);
    if (flow == 0)
      return std::nullopt;
    return flow >= unlimited ? Bandwidth() : Bandwidth(flow);
  }

private:
  using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  using Graph = boost::adjacency_list<
      boost::vecS, boost::vecS, boost::directedS,
      boost::property<
          boost::vertex_color_t, boost::default_color_type,
          boost::property<boost::vertex_distance_t, int64_t,
                          boost::property<boost::vertex_predecessor_t, Traits::edge_descriptor>>>,
      boost::property<
          boost::edge_capacity_t, int64_t,
          boost::property<boost::edge_residual_capacity_t, int64_t,
                          boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;
  static constexpr int64_t unlimited = int64_t(1) << 52; // 4.5 PB/s

  static int64_t flowOf(Bandwidth rate) {
    return rate.isUnlimited() ? unlimited : std::min<int64_t>(rate.bytesPerSecond(), unlimited);
  }
  Traits::edge_descriptor add(uint32_t from, uint32_t to, int64_t flow) {
    auto edge = boost::add_edge(from, to, graph).first;
    auto back = boost::add_edge(to, from, graph).first;
    boost::get(boost::edge_capacity, graph)[edge] = flow;
    boost::get(boost::edge_reverse, graph)[edge] = back;
    boost::get(boost::edge_reverse, graph)[back] = edge;
    return edge;
  }

  Graph graph;
  uint32_t source, sink;
  std::vector<Traits::edge_descriptor> fromSource, toSink; ///< by endpoint
};

CutCapacity::CutCapacity(const Machine &machine)
    : network(std::make_unique<FlowNetwork>(machine)) {}

CutCapacity::~CutCapacity() = default;

std::optional<Bandwidth> CutCapacity::between(ArrayRef<std::optional<bool>> sideOf) {
  return network->capacity(sideOf);
}
