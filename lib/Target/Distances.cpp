#include "Distances.h"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>

using namespace cclc;

std::vector<int64_t> cclc::distancesFrom(uint32_t source, uint32_t vertices, ArrayRef<Arc> arcs) {
  using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property,
                                                   boost::property<boost::edge_weight_t, int64_t>>;
  std::vector<std::pair<uint32_t, uint32_t>> ends;
  std::vector<int64_t> weights;
  for (const Arc &arc : arcs) {
    ends.emplace_back(arc.from, arc.to);
    weights.push_back(arc.weight);
  }
  Graph graph(boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(), weights.begin(),
              vertices);
  std::vector<int64_t> distance(vertices);
  boost::dijkstra_shortest_paths(graph, source,
                                 boost::distance_map(boost::make_iterator_property_map(
                                     distance.begin(), boost::get(boost::vertex_index, graph))));
  return distance;
}
