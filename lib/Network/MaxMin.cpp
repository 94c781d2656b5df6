//===- MaxMin.cpp - Messages as flows -------------------------------------===//
//
// A message is delayed by the latency of its route and is then a flow, until all of it has been
// served at the rates from FairShares. Nothing is computed between two changes of its rate.
//
// The flows of a connection always have equal rates, so the connection has one counter for them:
// the service that each has received since the connection was idle. A flow ends when the counter
// reaches its value at the start of the flow plus the size: the virtual time of fair queueing
// (Demers, Keshav and Shenker, SIGCOMM 1989). The next end of a flow is the minimum of a 4-ary heap
// of connections, in which a change of rate moves one entry: O(log connections).
//
// Implements rules 24 and 25.
//
//===----------------------------------------------------------------------===//

#include "MaxMin.h"

#include "FairShares.h"

#include <optional>
#include <utility>

using namespace cclc;

namespace {
class MaxMinNetwork final : public NetworkModel {
public:
  explicit MaxMinNetwork(const RouteTable &routes)
      : NetworkModel(routes), shares(routes), transfers(routes.size()) {}

  /// As if every link were divided equally between the routes with flows.
  SimTime estimate(ArrayRef<LinkId> links, Bytes size, SimTime now) const override {
    SimTime longest;
    for (LinkId link : links)
      longest = std::max(longest, transferTime(size, routes.machine.link(link).bandwidth) *
                                      (int64_t(shares.active(link)) + 1));
    return now + longest;
  }

  void inject(uint32_t f, SimTime now) override {
    const Flight &flight = flights[f];
    const Route &route = routes[flight.route];
    useRoute(flight);
    if (route.bottleneck.isUnlimited())
      arriveAtOnce(f, now);
    else if (route.latency == SimTime())
      begin(f, now);
    else
      host->schedule(now + route.latency, f);
  }

  void event(uint32_t token, SimTime now) override {
    if (token == settleToken)
      settle(now);
    else if (token == endToken)
      endDue(now);
    else
      begin(token, now);
  }

private:
  static constexpr uint32_t settleToken = ~uint32_t(0), endToken = settleToken - 1;

  /// The flows on a route of a connection.
  struct Transfer {
    /// Service of each flow up to `since`, and the rate from then on. In picoseconds at a rate of
    /// one.
    Wide served = 0, rate = 0;
    SimTime since;
    SimTime end;                       ///< end of the first flow to end
    OptionalIndex first;               ///< list of the flows by end
    OptionalIndex firstSent, lastSent; ///< list, until they arrive, by beginning
    OptionalIndex place;               ///< index in the queue
  };
  struct Flow {
    Wide target; ///< the service of its connection at which it ends
    OptionalIndex next, nextSent;
    bool ended;
  };

  void begin(uint32_t f, SimTime now) {
    uint32_t c = flights[f].route;
    Transfer &transfer = transfers[c];
    serve(transfer, now);
    if (flows.size() < flights.size())
      flows.resize(flights.size());
    Wide size = Wide(flights[f].size.count()) * 1'000'000'000'000;
    flows[f].target = transfer.served + (size << FairShares::rateBits);
    OptionalIndex *at = &transfer.first;
    while (*at && flows[**at].target <= flows[f].target)
      at = &flows[**at].next;
    flows[f].next = *at;
    *at = f;
    flows[f].nextSent = {};
    flows[f].ended = false;
    (transfer.firstSent ? flows[*transfer.lastSent].nextSent : transfer.firstSent) = f;
    transfer.lastSent = f;
    shares.add(c);
    settleSoon(now);
  }

  /// Updates the service up to \p now.
  static void serve(Transfer &transfer, SimTime now) {
    transfer.served += transfer.rate * (now - transfer.since).picoseconds();
    transfer.since = now;
  }

  /// Schedules one event to settle all flows that begin or end now.
  void settleSoon(SimTime now) {
    if (!std::exchange(settles, true))
      host->schedule(now, settleToken);
  }

  void settle(SimTime now) {
    settles = false;
    shares.settle();
    for (uint32_t c : shares.changed())
      if (transfers[c].first)
        setRate(c, now);
    shares.forgetChanges();
    scheduleEnd();
  }

  void setRate(uint32_t c, SimTime now) {
    Transfer &transfer = transfers[c];
    serve(transfer, now);
    transfer.rate = shares.rate(c);
    Wide rest = std::max(flows[*transfer.first].target - transfer.served, Wide(0));
    SimTime end = now + SimTime::clamped((rest + transfer.rate - 1) / transfer.rate);
    if (!transfer.place) {
      transfer.place = queue.size();
      queue.push_back(c);
    }
    moveInQueue(c, end);
  }

  void scheduleEnd() {
    if (queue.empty())
      return;
    SimTime end = transfers[queue.front()].end;
    if (scheduled && *scheduled <= end)
      return;
    scheduled = end;
    host->schedule(end, endToken);
  }

  /// Ends the flows that are due. There may be none, if rates have changed or an earlier event has
  /// replaced this one.
  void endDue(SimTime now) {
    if (scheduled != now)
      return;
    scheduled.reset();
    while (!queue.empty() && transfers[queue.front()].end <= now) {
      uint32_t c = queue.front();
      Transfer &transfer = transfers[c];
      serve(transfer, now);
      do {
        uint32_t f = *std::exchange(transfer.first, flows[*transfer.first].next);
        flows[f].ended = true;
        shares.remove(c);
      } while (transfer.first && flows[*transfer.first].target <= transfer.served);
      arrive(transfer, now);
      moveInQueue(c, SimTime::max());
      if (!transfer.first)
        removeFromQueue(transfer);
      settleSoon(now);
    }
    if (!settles)
      scheduleEnd();
  }

  /// Handles \p f if no link of its route limits it.
  void arriveAtOnce(uint32_t f, SimTime now) {
    if (observed)
      reportRoute(flights[f], now, now);
    arrives(f, now + routes[flights[f].route].latency);
  }

  /// Delivers ended flows in the order in which they were sent.
  void arrive(Transfer &transfer, SimTime now) {
    while (transfer.firstSent && flows[*transfer.firstSent].ended) {
      uint32_t f = *std::exchange(transfer.firstSent, flows[*transfer.firstSent].nextSent);
      Flight &flight = flights[f];
      const Route &route = routes[flight.route];
      flight.contention =
          now - flight.injected - route.latency - transferTime(flight.size, route.bottleneck);
      if (observed)
        reportRoute(flight, flight.injected + route.latency, now);
      arrives(f, now);
    }
  }

  // --- The queue -------------------------------------------------------------------------

  bool endsBefore(uint32_t a, uint32_t b) const {
    return transfers[a].end != transfers[b].end ? transfers[a].end < transfers[b].end : a < b;
  }

  void moveInQueue(uint32_t c, SimTime end) {
    transfers[c].end = end;
    size_t at = *transfers[c].place;
    while (at > 0 && endsBefore(c, queue[(at - 1) / 4])) {
      put(queue[(at - 1) / 4], at);
      at = (at - 1) / 4;
    }
    while (true) {
      size_t child = 4 * at + 1, least = child;
      if (child >= queue.size())
        break;
      for (size_t other = child + 1; other < std::min(child + 4, queue.size()); ++other)
        if (endsBefore(queue[other], queue[least]))
          least = other;
      if (!endsBefore(queue[least], c))
        break;
      put(queue[least], at);
      at = least;
    }
    put(c, at);
  }

  void put(uint32_t c, size_t at) {
    queue[at] = c;
    transfers[c].place = at;
  }

  void removeFromQueue(Transfer &transfer) {
    uint32_t last = queue.back();
    queue.pop_back();
    uint32_t at = *std::exchange(transfer.place, OptionalIndex());
    if (at < queue.size()) {
      transfers[last].place = at;
      queue[at] = last;
      moveInQueue(last, transfers[last].end);
    }
    transfer.rate = transfer.served = 0;
  }

  FairShares shares;
  std::vector<Transfer> transfers;  ///< by route
  std::vector<Flow> flows;          ///< by flight
  std::vector<uint32_t> queue;      ///< a heap of connections, by the end of the first flow
  std::optional<SimTime> scheduled; ///< the earliest event that calls endDue()
  bool settles = false;             ///< an event to settle the rates is scheduled
};
} // namespace

std::unique_ptr<NetworkModel> cclc::createMaxMinNetwork(const RouteTable &routes) {
  return std::make_unique<MaxMinNetwork>(routes);
}
