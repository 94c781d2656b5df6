//===- LinkClocks.cpp - Bottlenecks with a tolerance ----------------------===//
//
// The shares follow from local rules, as in distributed computations of max-min rates (Charny,
// Clark and Jain, "Congestion control with explicit rate indication", ICC 1995): a link divides
// what routes with other bottlenecks leave among those whose bottleneck it is. A link whose share
// has decreased takes over the routes that have a larger one, and a link whose share has increased
// gives routes away to links with a smaller one. A change that is smaller than the tolerance is not
// passed on, so that the end of one of many flows changes the share of one or two links.
//
// The clock of a link is the virtual time of fair queueing (Demers, Keshav and Shenker, SIGCOMM
// 1989).
//
// Implements rule 58.
//
//===----------------------------------------------------------------------===//

#include "LinkClocks.h"

#include "FlowWeights.h"
#include "HeapMoves.h"

#include <utility>

using namespace cclc;

/// The weight of the flows with the least latency, a multiple of all numbers up to 16, and the
/// bandwidth of a flow of weight 1 at share 1 in units of one byte per second.
static constexpr uint64_t largestWeight = 720'720;
static constexpr Wide unitsPerRate = Wide(largestWeight) << 16;

LinkClocks::LinkClocks(const RouteTable &routes)
    : routes(routes), links(routes.machine.links().size()), loads(links.size()),
      states(routes.size()), members(routes, links), limits(members.capacity()),
      weights(links.size()), endOf(links.size()) {
  for (uint32_t l = 0; l < links.size(); ++l) {
    Bandwidth rate = routes.machine.links()[l].bandwidth;
    links[l].capacity = rate.isUnlimited() ? unbounded : rate.bytesPerSecond() * unitsPerRate;
  }
  const std::vector<uint64_t> units = flowWeights(routes, largestWeight);
  for (uint32_t r = 0; r < states.size(); ++r) {
    states[r].firstHop = routes[r].begin;
    states[r].pastHop = routes[r].end;
    states[r].unit = units[r];
  }
}

Wide LinkClocks::serviceOf(uint32_t r, Bytes size) const {
  Wide picosecondBytes = Wide(size.count()) * 1'000'000'000'000;
  if (states[r].unit == largestWeight)
    return picosecondBytes * (unitsPerRate / largestWeight);
  return picosecondBytes * unitsPerRate / states[r].unit;
}

// --- Links ----------------------------------------------------------------------------------

void LinkClocks::advance(LinkState &link, SimTime now) {
  link.clock += link.share * (now - link.since).picoseconds();
  link.since = now;
}

Wide LinkClocks::freeShare(uint32_t l, uint64_t weight) const {
  return std::max((links[l].capacity - loads[l].elsewhere) / weight, Wide(1));
}

/// Whether \p l is no bottleneck, but must become one.
bool LinkClocks::isOverloaded(uint32_t l) const {
  Wide capacity = links[l].capacity;
  return links[l].limited == 0 && loads[l].elsewhere > capacity + tolerated(capacity);
}

/// Until the link is settled, what other routes use need not be compared again.
void LinkClocks::mark(uint32_t l) {
  if (std::exchange(links[l].marked, true))
    return;
  marked.push_back(l);
  loads[l].low = -unbounded;
  loads[l].high = unbounded;
}

/// Counts \p bandwidth of a route with another bottleneck.
void LinkClocks::countOn(uint32_t l, Wide bandwidth) {
  Load &load = loads[l];
  load.elsewhere += bandwidth;
  if (load.elsewhere > load.high || load.elsewhere < load.low)
    mark(l);
}

// --- Flows ----------------------------------------------------------------------------------

void LinkClocks::add(uint32_t r, SimTime now) {
  RouteState &route = states[r];
  if (route.weight == 0) {
    members.enter(routes, r, links);
    route.weight = route.unit;
    attach(r, findBottleneck(r), /*served=*/0, /*target=*/0, now);
    return;
  }
  route.weight += route.unit;
  links[route.bottleneck].weight += route.unit;
  count(r, route.unit);
  mark(route.bottleneck);
}

void LinkClocks::remove(uint32_t r, SimTime now) {
  RouteState &route = states[r];
  if (route.weight == route.unit) {
    detach(r, now);
    members.leave(routes, r, links);
    route.weight = 0;
    return;
  }
  route.weight -= route.unit;
  links[route.bottleneck].weight -= route.unit;
  count(r, -int64_t(route.unit));
  mark(route.bottleneck);
}

/// The link with the smallest share for a route that has no bottleneck. A link that is none has
/// what its routes leave.
uint32_t LinkClocks::findBottleneck(uint32_t r) const {
  Wide least = unbounded;
  uint32_t bottleneck = linksOf(r).front().index();
  for (LinkId id : linksOf(r)) {
    bool isNone = links[id.index()].limited == 0;
    Wide share = isNone ? freeShare(id.index(), states[r].weight) : loads[id.index()].published;
    if (share < least) {
      least = share;
      bottleneck = id.index();
    }
  }
  return bottleneck;
}

/// Makes \p l the bottleneck of \p r, which has no other. Its next flow ends at a service of
/// \p target.
void LinkClocks::attach(uint32_t r, uint32_t l, Wide served, Wide target, SimTime now) {
  RouteState &route = states[r];
  LinkState &link = links[l];
  if (link.limited == 0) {
    link.isNew = true;
    if (loads[l].published == unbounded)
      loads[l].published = freeShare(l, route.weight);
  }
  advance(link, now);
  route.bottleneck = l;
  route.begin = served - link.clock;
  route.end = target - route.begin;
  link.weight += route.weight;
  sink(l, r, link.limited++);
  count(r, route.weight);
  if (link.limited == manyRoutes() && !weights[l])
    weighRoutes(l);
  mark(l);
}

void LinkClocks::detach(uint32_t r, SimTime now) {
  RouteState &route = states[r];
  uint32_t l = route.bottleneck;
  LinkState &link = links[l];
  advance(link, now);
  link.weight -= route.weight;
  count(r, -int64_t(route.weight));
  uint32_t last = limits[link.begin + --link.limited];
  if (last != r)
    sink(l, last, route.place);
  if (link.limited < manyRoutes() / 2)
    weights[l].reset();
  if (link.limited == 0) {
    link.clock = link.share = 0;
    loads[l].published = unbounded;
  }
  estimateEnd(l, now);
  mark(l);
}

void LinkClocks::move(uint32_t r, uint32_t l, SimTime now) {
  Wide reached = served(r, now), target = states[r].begin + states[r].end;
  detach(r, now);
  attach(r, l, reached, target, now);
}

/// Adds \p weight, which may be negative, to that of \p r on the links that are not its bottleneck.
void LinkClocks::count(uint32_t r, int64_t weight) {
  const uint32_t bottleneck = states[r].bottleneck;
  const Wide bandwidth = loads[bottleneck].published * weight;
  for (LinkId id : linksOf(r))
    if (id.index() != bottleneck) {
      countOn(id.index(), bandwidth);
      if (weights[bottleneck])
        weights[bottleneck]->add(id.index(), weight);
    }
}

/// Adds up the weights of the routes whose bottleneck \p l is.
void LinkClocks::weighRoutes(uint32_t l) {
  weights[l] = std::make_unique<RouteWeights>(links.size());
  for (uint32_t r : ArrayRef(limits).slice(links[l].begin, links[l].limited))
    for (LinkId id : linksOf(r))
      if (id.index() != l)
        weights[l]->add(id.index(), states[r].weight);
}

// --- Shares ---------------------------------------------------------------------------------

/// Each round settles the links that are marked by the previous one, bottlenecks before links that
/// become one. The number of rounds is limited, although more than a few have not been observed:
/// links that remain are settled with the next change.
void LinkClocks::settle(SimTime now) {
  constexpr unsigned mostRounds = 1000;
  for (unsigned round = 0; round < mostRounds && !marked.empty(); ++round) {
    overloaded.clear();
    std::swap(settling, marked);
    for (uint32_t l : settling) {
      links[l].marked = false;
      settleLink(l, now);
    }
    settling.clear();
    for (uint32_t l : overloaded)
      if (isOverloaded(l))
        takeOver(l, fullShare(l), now);
  }
}

void LinkClocks::settleLink(uint32_t l, SimTime now) {
  LinkState &link = links[l];
  refresh(l, now);
  if (link.limited == 0) {
    if (isOverloaded(l))
      overloaded.push_back(l);
    return;
  }
  Wide published = loads[l].published, change = link.share - published;
  if (!link.isNew && change <= tolerated(published) && -change <= tolerated(published))
    return;
  bool decreases = std::exchange(link.isNew, false) || change < 0;
  publish(l, now);
  if (decreases)
    takeOver(l, loads[l].published + tolerated(loads[l].published), now);
}

/// Computes the share of \p l.
void LinkClocks::refresh(uint32_t l, SimTime now) {
  LinkState &link = links[l];
  advance(link, now);
  Load &load = loads[l];
  Wide rest = std::max(link.capacity - load.elsewhere, Wide(0));
  Wide ignored = tolerated(link.limited ? rest : link.capacity);
  load.low = load.elsewhere - ignored;
  load.high = load.elsewhere + ignored;
  if (link.limited == 0)
    return;
  // Rounded up, so that it does not delay the end of a flow by a picosecond.
  link.share = std::max((rest + link.weight - 1) / link.weight, Wide(1));
  uint32_t first = limits[link.begin];
  Wide service = std::max(states[first].end - link.clock, Wide(0));
  setEnd(l, now + SimTime::clamped((service + link.share - 1) / link.share));
}

/// Passes the share of \p l on to the other links of its routes, and gives those away for which
/// another link has a smaller one.
void LinkClocks::publish(uint32_t l, SimTime now) {
  Wide more = links[l].share - loads[l].published;
  loads[l].published = links[l].share;
  movers.clear();
  if (passOn(l, more))
    findMovers(l);
  for (Mover mover : movers)
    if (links[mover.link].limited)
      move(mover.route, mover.link, now);
}

/// Counts \p more share of the routes of \p l on their other links. Returns whether one of these
/// may have a smaller share than \p l.
bool LinkClocks::passOn(uint32_t l, Wide more) {
  Wide least = unbounded;
  auto passTo = [&](uint32_t other, uint64_t weight) {
    countOn(other, more * weight);
    least = std::min(least, loads[other].published);
  };
  if (weights[l]) {
    weights[l]->forEach(passTo);
  } else {
    for (uint32_t r : ArrayRef(limits).slice(links[l].begin, links[l].limited))
      for (LinkId id : linksOf(r))
        if (id.index() != l)
          passTo(id.index(), states[r].weight);
  }
  return least + tolerated(least) < links[l].share;
}

/// Finds the routes of \p l on which another link has a smaller share.
void LinkClocks::findMovers(uint32_t l) {
  for (uint32_t r : ArrayRef(limits).slice(links[l].begin, links[l].limited)) {
    Wide least = unbounded;
    uint32_t other = l;
    for (LinkId id : linksOf(r))
      if (id.index() != l && loads[id.index()].published < least) {
        least = loads[id.index()].published;
        other = id.index();
      }
    if (least + tolerated(least) < links[l].share)
      movers.push_back({r, other});
  }
}

/// Makes \p l the bottleneck of the routes with more than \p share.
void LinkClocks::takeOver(uint32_t l, Wide share, SimTime now) {
  movers.clear();
  for (const auto &member : members.of(links[l])) {
    uint32_t bottleneck = states[member.route].bottleneck;
    if (bottleneck != l && loads[bottleneck].published > share)
      movers.push_back({member.route, l});
  }
  if (links[l].limited == 0 && !movers.empty())
    loads[l].published = share;
  for (Mover mover : movers)
    move(mover.route, l, now);
}

/// The share with which \p l is full if routes with another bottleneck and a smaller share keep it;
/// unbounded if all do.
Wide LinkClocks::fullShare(uint32_t l) const {
  Wide share = 0;
  while (true) {
    Wide rest = links[l].capacity;
    uint64_t weight = 0;
    for (const auto &member : members.of(links[l])) {
      const RouteState &route = states[member.route];
      Wide published = loads[route.bottleneck].published;
      if (route.bottleneck != l && published <= share)
        rest -= published * route.weight;
      else
        weight += route.weight;
    }
    if (weight == 0)
      return unbounded;
    Wide next = std::max(rest / weight, share);
    if (next == share)
      return share;
    share = next;
  }
}

// --- Clocks ---------------------------------------------------------------------------------

void LinkClocks::setTarget(uint32_t r, Wide target, SimTime now) {
  states[r].end = target - states[r].begin;
  sink(states[r].bottleneck, r, states[r].place);
  estimateEnd(states[r].bottleneck, now);
}

Wide LinkClocks::served(uint32_t r, SimTime now) const {
  const LinkState &link = links[states[r].bottleneck];
  return states[r].begin + link.clock + link.share * (now - link.since).picoseconds();
}

/// Moves \p r, at index \p at of the heap of \p l, to its place.
void LinkClocks::sink(uint32_t l, uint32_t r, size_t at) {
  uint32_t *heap = limits.data() + links[l].begin;
  moveInHeap(
      ArrayRef(heap, links[l].limited), r, at,
      [&](uint32_t a, uint32_t b) {
        return states[a].end != states[b].end ? states[a].end < states[b].end : a < b;
      },
      [&](uint32_t item, size_t to) {
        heap[to] = item;
        states[item].place = to;
      });
}

/// Until the link is settled, which is at the same time, the end is only whether the first flow is
/// due.
void LinkClocks::estimateEnd(uint32_t l, SimTime now) {
  const LinkState &link = links[l];
  if (!link.place)
    return;
  bool isDue = link.limited && states[limits[link.begin]].end <= link.clock;
  if (isDue != (endOf[l] <= now) || link.limited == 0)
    setEnd(l, isDue ? now : SimTime::max());
}

void LinkClocks::setEnd(uint32_t l, SimTime end) {
  LinkState &link = links[l];
  endOf[l] = end;
  if (!link.place) {
    link.place = ends.size();
    ends.push_back(l);
  }
  moveInHeap(
      ends, l, *link.place,
      [&](uint32_t a, uint32_t b) { return endOf[a] != endOf[b] ? endOf[a] < endOf[b] : a < b; },
      [&](uint32_t item, size_t to) {
        ends[to] = item;
        links[item].place = to;
      });
}
