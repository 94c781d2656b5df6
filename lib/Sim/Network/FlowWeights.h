//===- FlowWeights.h - Weights of flows by latency --------------*- C++ -*-===//

#ifndef CCL_LIB_SIM_NETWORK_FLOWWEIGHTS_H
#define CCL_LIB_SIM_NETWORK_FLOWWEIGHTS_H

#include "cclc/Sim/Network/RouteTable.h"

#include <algorithm>
#include <vector>

namespace cclc {

/// By route, the weight of one of its flows: inversely proportional to its latency, at least 1, and
/// \p largest for the flows with the least latency.
inline std::vector<uint64_t> flowWeights(const RouteTable &routes, uint64_t largest) {
  auto latencyOf = [](const Route &route) { return std::max(route.latency, SimTime(1)); };
  SimTime nearest = SimTime::max();
  for (const Route &route : routes)
    nearest = std::min(nearest, latencyOf(route));
  std::vector<uint64_t> weights;
  weights.reserve(routes.size());
  for (const Route &route : routes) {
    Wide latency = latencyOf(route).picoseconds();
    Wide scaled = Wide(nearest.picoseconds()) * largest + latency / 2;
    weights.push_back(std::max<uint64_t>(uint64_t(scaled / latency), 1));
  }
  return weights;
}

} // namespace cclc

#endif // CCL_LIB_SIM_NETWORK_FLOWWEIGHTS_H
