//===- RouteWeights.h - What the routes of a bottleneck use -----*- C++ -*-===//

#ifndef CCL_LIB_NETWORK_ROUTEWEIGHTS_H
#define CCL_LIB_NETWORK_ROUTEWEIGHTS_H

#include <cstdint>
#include <vector>

namespace cclc {

/// For each link that the routes of one bottleneck pass, the total weight of these routes. Routes
/// that share links are then counted together: thousands of routes pass hundreds of links.
class RouteWeights {
public:
  explicit RouteWeights(uint32_t numLinks) : totals(numLinks) {}

  /// Adds \p weight, which may be negative, to that of \p link.
  void add(uint32_t link, int64_t weight) {
    Total &total = totals[link];
    total.weight += weight;
    if (total.listed)
      return;
    total.listed = true;
    listed.push_back(link);
  }

  /// Calls fn(link, weight) for the links with a weight, in an order that depends on the calls of
  /// add() alone.
  template <class Fn> void forEach(Fn fn) {
    uint32_t kept = 0;
    for (uint32_t link : listed) {
      Total &total = totals[link];
      total.listed = total.weight != 0;
      if (!total.listed)
        continue;
      listed[kept++] = link;
      fn(link, total.weight);
    }
    listed.resize(kept);
  }

private:
  struct Total {
    uint64_t weight = 0;
    bool listed = false;
  };
  std::vector<Total> totals;    ///< by link
  std::vector<uint32_t> listed; ///< includes all links with a weight
};

} // namespace cclc

#endif // CCL_LIB_NETWORK_ROUTEWEIGHTS_H
