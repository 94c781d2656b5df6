//===- LinkClocks.h - Approximate max-min shares ----------------*- C++ -*-===//
//
// Weighted max-min shares of flows, as FairShares, with a relative tolerance, in a form in which a
// change costs little. Every route with flows has one bottleneck link, whose share is that of its
// flows. A link has a clock, which advances at its share: the service of all flows whose bottleneck
// it is, so that a change of the share does not touch them, and the next flow to end on a link is
// the first one of a heap that does not change with the share.
//
// Other links of these routes count them with the share that the bottleneck has published. A link
// publishes its share when it differs by more than the tolerance from the published one. Then it
// is the bottleneck of exactly the routes for which, within the tolerance, no link has published a
// smaller share. So when no link waits, with t as the tolerance: the share of a link differs from
// the published one by at most t; the published share of no link of a route is less than 1 / (1 +
// t) of that of its bottleneck; and what other routes use of a link at published shares has changed
// by at most t of the rest since its share was computed.
//
// All numbers are integers.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_NETWORK_LINKCLOCKS_H
#define CCL_LIB_NETWORK_LINKCLOCKS_H

#include "LinkMembers.h"
#include "RouteWeights.h"

#include <memory>
#include <vector>

namespace cclc {

class LinkClocks {
public:
  explicit LinkClocks(const RouteTable &routes);

  /// Adds a flow to \p route or removes one. The service of a route with one flow begins at 0.
  /// Takes effect at the next settle(), at the same time.
  void add(uint32_t route, SimTime now);
  void remove(uint32_t route, SimTime now);
  /// Sets the service of \p route at which its next flow ends. Must follow every add() and remove()
  /// after which the route has flows.
  void setTarget(uint32_t route, Wide target, SimTime now);
  /// Recomputes the shares.
  void settle(SimTime now);

  /// The service of \p size for a flow of \p route.
  Wide serviceOf(uint32_t route, Bytes size) const;
  /// The service that each flow of \p route has received, if it has flows.
  Wide served(uint32_t route, SimTime now) const;
  /// When the next flow of any route ends; max() if there is none.
  SimTime nextEnd() const { return ends.empty() ? SimTime::max() : endOf[ends.front()]; }
  /// The route of this flow; there must be one.
  uint32_t firstToEnd() const { return limits[links[ends.front()].begin]; }
  /// The number of routes with flows on a link.
  uint32_t active(LinkId link) const { return links[link.index()].active; }

private:
  static constexpr Wide unbounded = Wide(1) << 126;
  /// The tolerance is 2^-toleranceBits.
  static constexpr unsigned toleranceBits = 7;
  static Wide tolerated(Wide share) { return share >> toleranceBits; }

  /// What the routes of other bottlenecks read and change.
  struct alignas(64) Load {
    Wide elsewhere = 0;     ///< used by routes with another bottleneck, at published shares
    Wide low = 0, high = 0; ///< values of `elsewhere` for which the share need not be recomputed
    Wide published = unbounded;
  };
  struct LinkState : LinkRange {
    Wide capacity;
    Wide share = 0; ///< 0 if it is no bottleneck
    Wide clock = 0; ///< service at `since`
    SimTime since;
    uint64_t weight = 0;  ///< of the routes whose bottleneck it is
    uint32_t limited = 0; ///< number of routes whose bottleneck it is, a heap in its range
    OptionalIndex place;  ///< index in ends
    bool marked = false;  ///< is in the list of links to settle
    bool isNew = false;   ///< its share has not been compared with those of other links
  };
  struct RouteState {
    Wide end = 0;        ///< value of the clock of its bottleneck at which its first flow ends
    Wide begin = 0;      ///< service that it had received when that clock was 0; may be negative
    uint64_t weight = 0; ///< of all its flows
    uint64_t unit = 1;   ///< of one flow
    uint32_t bottleneck = 0;
    uint32_t place = 0;                 ///< index in the heap of its bottleneck
    uint32_t firstHop = 0, pastHop = 0; ///< in the route table
  };
  struct Mover {
    uint32_t route, link;
  };

  ArrayRef<LinkId> linksOf(uint32_t route) const {
    const RouteState &state = states[route];
    return routes.hops().slice(state.firstHop, state.pastHop - state.firstHop);
  }
  /// The share of a route with \p weight that has what routes with other bottlenecks leave.
  Wide freeShare(uint32_t link, uint64_t weight) const;
  bool isOverloaded(uint32_t link) const;
  static void advance(LinkState &link, SimTime now);
  uint32_t findBottleneck(uint32_t route) const;
  void attach(uint32_t route, uint32_t link, Wide served, Wide target, SimTime now);
  void detach(uint32_t route, SimTime now);
  void move(uint32_t route, uint32_t link, SimTime now);
  void count(uint32_t route, int64_t weight);
  void weighRoutes(uint32_t link);
  /// The number of routes of a bottleneck whose weights are added up, because they share most of
  /// their links. A table has an entry for each link and is kept for half as many routes, so all
  /// tables have at most 128 entries for each route.
  uint32_t manyRoutes() const { return std::max<uint32_t>(links.size() / 64, 32); }
  void countOn(uint32_t link, Wide bandwidth);
  void mark(uint32_t link);

  void settleLink(uint32_t link, SimTime now);
  void refresh(uint32_t link, SimTime now);
  void publish(uint32_t link, SimTime now);
  bool passOn(uint32_t link, Wide more);
  void findMovers(uint32_t link);
  void takeOver(uint32_t link, Wide share, SimTime now);
  Wide fullShare(uint32_t link) const;

  void sink(uint32_t link, uint32_t route, size_t at);
  void estimateEnd(uint32_t link, SimTime now);
  void setEnd(uint32_t link, SimTime end);

  const RouteTable &routes;
  std::vector<LinkState> links;
  std::vector<Load> loads; ///< by link
  std::vector<RouteState> states;
  LinkMembers<LinkState> members; ///< the routes with flows
  std::vector<uint32_t> limits;   ///< by link: the heap of the routes whose bottleneck it is
  /// By link: what its routes use, if it is the bottleneck of many.
  std::vector<std::unique_ptr<RouteWeights>> weights;
  std::vector<uint32_t> ends; ///< a heap of the links with flows, by the end of the first
  std::vector<SimTime> endOf; ///< by link: the end of the first flow to end
  std::vector<uint32_t> marked, settling, overloaded; ///< links
  std::vector<Mover> movers;
};

} // namespace cclc

#endif // CCL_LIB_NETWORK_LINKCLOCKS_H
