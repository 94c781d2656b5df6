//===- LinkMembers.h - The routes with flows on each link -------*- C++ -*-===//

#ifndef CCL_LIB_NETWORK_LINKMEMBERS_H
#define CCL_LIB_NETWORK_LINKMEMBERS_H

#include "cclc/Network/RouteTable.h"

#include <utility>
#include <vector>

namespace cclc {

/// The part of the state of a link by which its members are found.
struct LinkRange {
  uint32_t begin = 0;  ///< of its range in the table of members
  uint32_t active = 0; ///< number of routes with flows, which come first in the range
};

/// For each link of type \c Link, which is a LinkRange, the routes with flows on it. A route enters
/// or leaves in time proportional to its length.
template <class Link> class LinkMembers {
public:
  /// A route on a link, and the index of the hop.
  struct Member {
    uint32_t route, hop;
  };

  /// Sets the ranges of \p links, so that each has room for all routes over it.
  LinkMembers(const RouteTable &routes, std::vector<Link> &links) : places(routes.hops().size()) {
    for (LinkId link : routes.hops())
      ++links[link.index()].active;
    uint32_t begin = 0;
    for (Link &link : links) {
      link.begin = begin;
      begin += std::exchange(link.active, 0);
    }
    members.resize(begin);
  }

  ArrayRef<Member> of(const Link &link) const {
    return ArrayRef(members).slice(link.begin, link.active);
  }
  /// The number of members if all routes have flows.
  size_t capacity() const { return members.size(); }

  /// Adds \p route to the links on it.
  void enter(const RouteTable &routes, uint32_t route, std::vector<Link> &links) {
    for (uint32_t hop = routes[route].begin; hop < routes[route].end; ++hop) {
      Link &link = links[routes.hop(hop).index()];
      places[hop] = link.begin + link.active++;
      members[places[hop]] = {route, hop};
    }
  }

  void leave(const RouteTable &routes, uint32_t route, std::vector<Link> &links) {
    for (uint32_t hop = routes[route].begin; hop < routes[route].end; ++hop) {
      Link &link = links[routes.hop(hop).index()];
      Member last = members[link.begin + --link.active];
      members[places[hop]] = last;
      places[last.hop] = places[hop];
    }
  }

private:
  std::vector<Member> members;  ///< by link
  std::vector<uint32_t> places; ///< by hop of the routes: index in members
};

} // namespace cclc

#endif // CCL_LIB_NETWORK_LINKMEMBERS_H
