#include "Distances.h"

#include "cclc/Support/ShortestPaths.h"
#include "cclc/Support/Watch.h"

using namespace cclc;

std::vector<int64_t> cclc::distancesFrom(uint32_t source, uint32_t vertices, ArrayRef<Arc> arcs) {
  Watch::look();
  std::vector<int64_t> weights, distance(vertices, noPath);
  for (const Arc &arc : arcs)
    weights.push_back(arc.weight);
  ShortestPaths<int64_t> paths(vertices, arcs);
  paths.from(source, weights);
  for (uint32_t vertex : paths.byDistance())
    distance[vertex] = paths.distance(vertex);
  return distance;
}
