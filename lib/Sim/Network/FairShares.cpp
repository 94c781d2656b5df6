//===- FairShares.cpp - Incremental progressive filling -------------------===//
//
// Max-min shares are the result of progressive filling (Bertsekas and Gallager, Data Networks,
// section 6.5.2). Only links that are out of balance are filled again: a heap orders them by their
// shares, smallest first, and each settles its own connections.
//
// Implements rules 24, 25 and 58.
//
//===----------------------------------------------------------------------===//

#include "FairShares.h"

#include "FlowWeights.h"

#include <utility>

using namespace cclc;

FairShares::FairShares(const RouteTable &routes, std::optional<uint32_t> parts)
    : routes(routes), links(routes.machine.links().size()), connections(routes.size()),
      members(routes, links.size()), queuedShare(links.size()) {
  for (uint32_t l = 0; l < links.size(); ++l) {
    links[l].capacity = routes.machine.links()[l].bandwidth.bytesPerSecond() * unitsPerRate;
    links[l].ignored = parts ? links[l].capacity / *parts : 0;
  }
  const std::vector<uint64_t> weights = flowWeights(routes, largestWeight);
  for (uint32_t c = 0; c < connections.size(); ++c)
    connections[c].unit = weights[c];
}

Wide FairShares::rate(uint32_t c) {
  constexpr Wide unit = unitsPerRate >> rateBits;
  const ConnectionState &connection = connections[c];
  if (lastRate.share != connection.share || lastRate.unit != connection.unit)
    lastRate = {connection.share, connection.unit,
                (connection.share * connection.unit + unit - 1) / unit};
  Wide full = Wide(routes[c].bottleneck.bytesPerSecond()) << rateBits;
  return std::max(std::min(lastRate.fair, full), Wide(1));
}

void FairShares::add(uint32_t c) {
  ConnectionState &connection = connections[c];
  if (connection.flows++ == 0)
    members.enter(routes, c);
  reweigh(c, connection.weight + connection.unit);
}

void FairShares::remove(uint32_t c) {
  ConnectionState &connection = connections[c];
  assert(connection.flows > 0);
  reweigh(c, connection.weight - connection.unit);
  if (--connection.flows == 0)
    members.leave(routes, c);
}

void FairShares::reweigh(uint32_t c, uint64_t weight) {
  Wide capacity = routes[c].bottleneck.bytesPerSecond() * unitsPerRate;
  connections[c].limit = weight ? capacity / weight : 0;
  findBottleneck(c, weight);
}

/// Finds the link with the smallest share for \p c.
void FairShares::findBottleneck(uint32_t c, uint64_t weight) {
  Wide least = connections[c].limit;
  OptionalIndex bottleneck;
  for (uint32_t hop = routes[c].begin; hop < routes[c].end; ++hop) {
    uint32_t l = routes.hop(hop).index();
    if (links[l].share < least) {
      least = links[l].share;
      bottleneck = l;
    }
  }
  assign(c, weight, bottleneck, least);
}

void FairShares::assign(uint32_t c, uint64_t weight, OptionalIndex bottleneck, Wide share) {
  ConnectionState &connection = connections[c];
  if (connection.bottleneck) {
    links[*connection.bottleneck].weight -= connection.weight;
    mark(*connection.bottleneck);
  }
  if (bottleneck) {
    links[*bottleneck].weight += weight;
    mark(*bottleneck);
  }
  Wide more = share * weight - connection.share * connection.weight;
  if (more != 0)
    for (uint32_t hop = routes[c].begin; hop < routes[c].end; ++hop) {
      uint32_t l = routes.hop(hop).index();
      links[l].used += more;
      mark(l);
    }
  connection.bottleneck = bottleneck;
  connection.weight = weight;
  connection.share = share;
  if (!connection.hasChanged) {
    connection.hasChanged = true;
    changedOnes.push_back(c);
  }
}

void FairShares::mark(uint32_t link) {
  if (links[link].marked)
    return;
  links[link].marked = true;
  markedLinks.push_back(link);
}

void FairShares::forgetChanges() {
  for (uint32_t c : changedOnes)
    connections[c].hasChanged = false;
  changedOnes.clear();
}

void FairShares::settle() {
  queueMarked(0);
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(),
                  [](const Entry &a, const Entry &b) { return a.after(b); });
    Entry entry = queue.back();
    queue.pop_back();
    LinkState &link = links[entry.link];
    if (!link.waits || queuedShare[entry.link] != entry.share)
      continue;
    link.waits = false;
    if (isOverloaded(link))
      lower(entry.link, entry.share);
    else
      raise(entry.link);
    queueMarked(entry.share);
  }
}

/// Queues the links that are out of balance, each with the smallest share at which it changes. All
/// shares up to \p least are in balance.
void FairShares::queueMarked(Wide least) {
  for (uint32_t l : markedLinks) {
    LinkState &link = links[l];
    link.marked = false;
    link.waits = false;
    if (link.capacity == 0)
      continue;
    if (isOverloaded(link))
      enqueue(l, shareOfFull(l, least));
    else if (link.share != unbounded &&
             link.used + std::max(Wide(link.weight), link.ignored) <= link.capacity)
      enqueue(l, link.share);
  }
  markedLinks.clear();
}

void FairShares::enqueue(uint32_t link, Wide share) {
  links[link].waits = true;
  queuedShare[link] = share;
  queue.push_back({share, link});
  std::push_heap(queue.begin(), queue.end(),
                 [](const Entry &a, const Entry &b) { return a.after(b); });
}

/// The share at which the overloaded link \p l is exactly full: connections with a smaller share
/// keep it, the others divide the rest. At least \p least, which is all that there is if those
/// fill the link but for the tolerance.
Wide FairShares::shareOfFull(uint32_t l, Wide least) const {
  const LinkState &link = links[l];
  Wide share = least;
  // What its own connections may have if all others keep theirs. It is no more than the result.
  if (link.weight > 0)
    share = std::max(share, (link.capacity - (link.used - link.share * link.weight)) / link.weight);
  while (true) {
    Wide rest = link.capacity;
    uint64_t weight = 0;
    for (const auto &member : members.of(l)) {
      const ConnectionState &connection = connections[member.route];
      if (connection.share <= share)
        rest -= connection.share * connection.weight;
      else
        weight += connection.weight;
    }
    if (weight == 0)
      return share;
    Wide next = std::max(rest / weight, share);
    if (next == share)
      return share;
    share = next;
  }
}

/// Makes \p l the bottleneck of all connections with more than \p share.
void FairShares::lower(uint32_t l, Wide share) {
  LinkState &link = links[l];
  link.share = share;
  for (const auto &member : members.of(l)) {
    uint32_t c = member.route;
    if (connections[c].share > share)
      assign(c, connections[c].weight, l, share);
  }
}

/// Distributes the free bandwidth of \p l to the connections whose bottleneck it is. If another
/// link now has a smaller share, it becomes the bottleneck.
void FairShares::raise(uint32_t l) {
  LinkState &link = links[l];
  if (link.weight == 0) {
    link.share = unbounded;
    return;
  }
  link.share += (link.capacity - link.used) / link.weight;
  for (const auto &member : members.of(l)) {
    uint32_t c = member.route;
    if (connections[c].bottleneck == l)
      findBottleneck(c, connections[c].weight);
  }
}
