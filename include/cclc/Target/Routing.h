//===- Routing.h - Rules that select the routes of messages -----*- C++ -*-===//
//
// A routing rule selects the links that a message crosses. Most rules select one route for each
// pair of endpoints. `ecmp` selects one of the shortest paths for each connection, as switches do
// that hash the headers of a flow (RFC 2992); `spray` and `adaptive` select one for each message.
// targets/README.md describes the rules.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TARGET_ROUTING_H
#define CCL_TARGET_ROUTING_H

#include "cclc/Support/Ids.h"
#include "cclc/Support/LLVM.h"

#include "llvm/ADT/BitVector.h"

#include <cstdint>
#include <vector>

namespace cclc {

class Machine;

/// The rules by their names in targets, in this order.
enum class RoutingRule : uint8_t {
  DimensionOrder, ///< the rule of a grid: one dimension after the other
  Shortest,       ///< the shortest path; of equal ones, that with the lowest link numbers
  UpDown,         ///< up the tiers, then down; of equal paths, one that depends on the destination
  Ecmp,           ///< one of the shortest paths, by a hash of source, destination and channel
  Spray,          ///< the messages of a connection take the shortest paths in turn
  Adaptive,       ///< every message takes the shortest path with the shortest queues
};
inline constexpr const char *routingNames[] = {"dimension-order", "shortest", "up-down", "ecmp",
                                               "spray",           "adaptive"};

using Path = SmallVector<LinkId, 16>;

/// A deterministic routing rule.
class Routing {
public:
  virtual ~Routing() = default;
  /// Appends the links from endpoint \p src to endpoint \p dst, in order, to the empty list
  /// \p links; none if there is no path.
  virtual void route(const Machine &machine, EndpointId src, EndpointId dst,
                     SmallVectorImpl<LinkId> &links) const = 0;
  /// The route of a connection on \p channel.
  virtual void routeOnChannel(const Machine &machine, EndpointId src, EndpointId dst,
                              ChannelId /*channel*/, SmallVectorImpl<LinkId> &links) const {
    route(machine, src, dst, links);
  }
  /// The number of first channels that together take every link which any channel takes.
  virtual uint32_t channelsToAllLinks() const { return 1; }
  /// The routes between which the messages of a connection choose, in the order of their use; empty
  /// if the connection has one route.
  virtual std::vector<Path> alternatives(const Machine &, EndpointId /*src*/, EndpointId /*dst*/,
                                         ChannelId /*channel*/) const {
    return {};
  }
  /// Adds to \p used the links that messages from the endpoints \p sources to \p dst cross, on any
  /// channel and with any choice of the rule. Returns the number of links that were visited.
  virtual uint64_t addUsedLinks(const Machine &machine, ArrayRef<EndpointId> sources,
                                EndpointId dst, llvm::BitVector &used) const;
  /// An alternative path of equal cost that no message takes; none if the route is unique.
  virtual void equalRoute(const Machine &, EndpointId /*src*/, EndpointId /*dst*/,
                          SmallVectorImpl<LinkId> &) const {}
};

} // namespace cclc

#endif // CCL_TARGET_ROUTING_H
