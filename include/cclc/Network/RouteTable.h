//===- RouteTable.h - Routes of connections ---------------------*- C++ -*-===//
//
// The routes of a set of connections on a machine, with the latency and the bottleneck of each.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_NETWORK_ROUTETABLE_H
#define CCL_NETWORK_ROUTETABLE_H

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

/// Route i belongs to connection i.
class RouteTable {
public:
  explicit RouteTable(const Machine &machine) : machine(machine) {}

  /// Adds the route of the next connection, from its sender to its receiver.
  const Route &add(ArrayRef<LinkId> links);

  uint32_t size() const { return routes.size(); }
  const Route &operator[](uint32_t connection) const { return routes[connection]; }
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
  std::vector<LinkId> links;
};

} // namespace cclc

#endif // CCL_NETWORK_ROUTETABLE_H
