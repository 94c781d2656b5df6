//===- FlowLists.h - The flows of routes ------------------------*- C++ -*-===//
//
// Flows of a route have equal rates, so one counter has the service of each of them, and a flow
// ends when the counter reaches its value at the beginning of the flow plus the size of the flow.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_NETWORK_FLOWLISTS_H
#define CCL_LIB_SIM_NETWORK_FLOWLISTS_H

#include "cclc/Support/Ids.h"
#include "cclc/Support/Units.h"

#include <optional>
#include <utility>
#include <vector>

namespace cclc {

/// The lists of a route.
struct FlowsOfRoute {
  OptionalIndex first;               ///< list of the flows by end
  OptionalIndex firstSent, lastSent; ///< list, until they arrive, by beginning
};

class FlowLists {
public:
  /// Adds flow \p f, which ends when the counter of its route is \p target.
  void add(FlowsOfRoute &route, uint32_t f, Wide target) {
    if (flows.size() <= f)
      flows.resize(f + 1);
    OptionalIndex *at = &route.first;
    while (*at && flows[**at].target <= target)
      at = &flows[**at].next;
    flows[f] = {target, *at, {}, false};
    *at = f;
    (route.firstSent ? flows[*route.lastSent].nextSent : route.firstSent) = f;
    route.lastSent = f;
  }

  /// The first flow of \p route to end; there must be one.
  Wide firstTarget(const FlowsOfRoute &route) const { return flows[*route.first].target; }
  void endFirst(FlowsOfRoute &route) {
    uint32_t f = *std::exchange(route.first, flows[*route.first].next);
    flows[f].ended = true;
  }

  /// Removes the flow of \p route that began first, if it has ended.
  std::optional<uint32_t> takeArrived(FlowsOfRoute &route) {
    if (!route.firstSent || !flows[*route.firstSent].ended)
      return std::nullopt;
    return *std::exchange(route.firstSent, flows[*route.firstSent].nextSent);
  }

private:
  struct Flow {
    Wide target;
    OptionalIndex next, nextSent;
    bool ended;
  };
  std::vector<Flow> flows; ///< by flight
};

} // namespace cclc

#endif // CCL_LIB_SIM_NETWORK_FLOWLISTS_H
