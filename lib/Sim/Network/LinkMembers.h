//===- LinkMembers.h - The routes with flows on each link -------*- C++ -*-===//

#ifndef CCL_LIB_SIM_NETWORK_LINKMEMBERS_H
#define CCL_LIB_SIM_NETWORK_LINKMEMBERS_H

#include "cclc/Sim/Network/RouteTable.h"

#include <utility>
#include <vector>

namespace cclc {

/// For each link, the routes with flows on it. A route enters or leaves in time proportional to its
/// length.
class LinkMembers {
public:
  /// A route on a link, and the index of the hop.
  struct Member {
    uint32_t route, hop;
  };

  LinkMembers(const RouteTable &routes, size_t numLinks)
      : ranges(numLinks), members(routes.hops().size()), places(routes.hops().size()) {
    for (LinkId link : routes.hops())
      ++ranges[link.index()].active;
    uint32_t begin = 0;
    for (Range &range : ranges) {
      range.begin = begin;
      begin += std::exchange(range.active, 0);
    }
  }

  ArrayRef<Member> of(uint32_t link) const {
    return ArrayRef(members).slice(ranges[link].begin, ranges[link].active);
  }

  /// Adds \p route to the links on it.
  void enter(const RouteTable &routes, uint32_t route) {
    for (uint32_t hop = routes[route].begin; hop < routes[route].end; ++hop) {
      Range &range = ranges[routes.hop(hop).index()];
      places[hop] = range.begin + range.active++;
      members[places[hop]] = {route, hop};
    }
  }

  void leave(const RouteTable &routes, uint32_t route) {
    for (uint32_t hop = routes[route].begin; hop < routes[route].end; ++hop) {
      Range &range = ranges[routes.hop(hop).index()];
      Member last = members[range.begin + --range.active];
      members[places[hop]] = last;
      places[last.hop] = places[hop];
    }
  }

private:
  /// The members of a link in the table, which has room for all routes over it.
  struct Range {
    uint32_t begin = 0;
    uint32_t active = 0; ///< number of routes with flows, which come first
  };
  std::vector<Range> ranges;    ///< by link
  std::vector<Member> members;  ///< by link
  std::vector<uint32_t> places; ///< by hop of the routes: index in members
};

} // namespace cclc

#endif // CCL_LIB_SIM_NETWORK_LINKMEMBERS_H
