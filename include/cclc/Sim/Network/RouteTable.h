//===- RouteTable.h - Routes of connections ---------------------*- C++ -*-===//
//
// The routes of a set of connections on a machine, with the latency and the bottleneck of each. A
// connection has one route, unless its messages choose between several (Target/Routing.h).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_NETWORK_ROUTETABLE_H
#define CCL_SIM_NETWORK_ROUTETABLE_H

#include "cclc/Target/Machine.h"

namespace cclc {

struct Route {
  uint32_t begin, end; ///< hops, RouteTable::hops()
  /// The latency of an empty message: propagation of the links and overheads of the nodes.
  SimTime latency;
  /// The bandwidth of the slowest link.
  Bandwidth bottleneck;

  uint32_t length() const { return end - begin; }
};

/// Route i is the first one of connection i; alternatives follow those of all connections.
class RouteTable {
public:
  explicit RouteTable(const Machine &machine) : machine(machine) {}

  /// Adds the route of the next connection, from its sender to its receiver.
  const Route &add(ArrayRef<LinkId> links);

  /// The numbers of the routes between which the messages of a connection choose.
  struct Choice {
    uint32_t first = 0, count = 0;
  };
  /// Adds \p paths as the routes between which the messages of \p connection choose. Must be called
  /// after the last add().
  void addChoice(uint32_t connection, ArrayRef<Path> paths);
  bool hasChoices() const { return !choices.empty(); }
  /// The number of connections if there are choices, otherwise 0.
  uint32_t choosingConnections() const { return choices.size(); }
  /// The choice of \p connection; empty if it has one route.
  Choice choice(uint32_t connection) const { return choices[connection]; }

  uint32_t size() const { return routes.size(); }
  const Route &operator[](uint32_t route) const { return routes[route]; }
  auto begin() const { return routes.begin(); }
  auto end() const { return routes.end(); }

  /// The links of all routes.
  ArrayRef<LinkId> hops() const { return links; }
  LinkId hop(uint32_t h) const { return links[h]; }
  ArrayRef<LinkId> linksOf(const Route &route) const {
    return hops().slice(route.begin, route.length());
  }

  const Machine &machine;

private:
  std::vector<Route> routes;
  std::vector<Choice> choices; ///< by connection; empty if all have one route
  std::vector<LinkId> links;
};

} // namespace cclc

#endif // CCL_SIM_NETWORK_ROUTETABLE_H
