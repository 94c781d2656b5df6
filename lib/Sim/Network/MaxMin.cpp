//===- MaxMin.cpp - Messages as flows -------------------------------------===//
//
// A message is delayed by the latency of its route and is then a flow, with the rate of FairShares,
// until all of it has been served. Between two changes of its rate, a flow takes no time.
//
// The flows of a connection always have equal rates, so the connection has one counter for them:
// the service that each has received since the connection was idle. A flow ends when the counter
// reaches its value at the start of the flow plus the size: the virtual time of fair queueing
// (Demers, Keshav and Shenker, SIGCOMM 1989). The next end of a flow is the minimum of a 4-ary heap
// of connections, in which a change of rate moves one entry: O(log connections).
//
// Flows that begin or end at the same time change the rates once, in an event at that time. There
// is one event for the next end; ends that become later are found by it, for those that become
// earlier there is a further one.
//
// Implements rules 24, 25 and 58.
//
//===----------------------------------------------------------------------===//

#include "MaxMin.h"

#include "FairShares.h"
#include "FlowLists.h"
#include "HeapMoves.h"

using namespace cclc;

namespace {
/// The reciprocal of the tolerance of `maxmin-fast`.
constexpr uint32_t toleranceParts = 384;

class MaxMinNetwork final : public NetworkModel {
public:
  MaxMinNetwork(const RouteTable &routes, FairShares shares)
      : NetworkModel(routes), shares(std::move(shares)), transfers(routes.size()),
        places(routes.size()) {}

  /// As if every link were divided equally between the routes with flows.
  SimTime estimate(ArrayRef<LinkId> links, Bytes size, SimTime now) const override;
  void inject(uint32_t f, SimTime now) override;
  void event(uint32_t token, SimTime now) override;

private:
  static constexpr uint32_t settleToken = ~uint32_t(0), endToken = settleToken - 1;

  /// The flows on a route of a connection.
  struct Transfer : FlowsOfRoute {
    /// Service of each flow up to `since`, and the rate from then on. In picoseconds at a rate of
    /// one.
    Wide served = 0, rate = 0;
    SimTime since;
  };
  /// In the queue: when the first flow of a route ends.
  struct End {
    SimTime time;
    uint32_t route;
    bool operator<(const End &other) const {
      return time != other.time ? time < other.time : route < other.route;
    }
  };

  // --- Events ------------------------------------------------------------------------------

  void begin(uint32_t f, SimTime now);
  void settleSoon(SimTime now);
  void settle(SimTime now);
  void scheduleEnd();
  void endDue(SimTime now);
  void arriveAtOnce(uint32_t f, SimTime now);
  void arrive(FlowsOfRoute &route, SimTime now);

  // --- Flows -------------------------------------------------------------------------------

  /// Adds \p f to the flows of its route.
  void beginFlow(uint32_t f, SimTime now) {
    uint32_t c = flights[f].route;
    Transfer &transfer = transfers[c];
    serve(transfer, now);
    Wide size = Wide(flights[f].size.count()) * 1'000'000'000'000;
    flows.add(transfer, f, transfer.served + (size << FairShares::rateBits));
    shares.add(c);
  }

  /// Updates the service up to \p now.
  static void serve(Transfer &transfer, SimTime now) {
    transfer.served += transfer.rate * (now - transfer.since).picoseconds();
    transfer.since = now;
  }

  /// Computes the rates after flows have begun or ended.
  void settleRates(SimTime now) {
    shares.settle();
    for (uint32_t c : shares.changed())
      if (transfers[c].first)
        setRate(c, now);
    shares.forgetChanges();
  }

  void setRate(uint32_t c, SimTime now) {
    Transfer &transfer = transfers[c];
    serve(transfer, now);
    transfer.rate = shares.rate(c);
    Wide rest = std::max(flows.firstTarget(transfer) - transfer.served, Wide(0));
    SimTime end = now + SimTime::clamped((rest + transfer.rate - 1) / transfer.rate);
    if (!places[c]) {
      places[c] = queue.size();
      queue.emplace_back();
    }
    moveInQueue({end, c});
  }

  /// When the next flow ends; max() if there is none.
  SimTime nextEnd() const { return queue.empty() ? SimTime::max() : queue.front().time; }

  /// Ends the flows of the route with the next end. Returns the lists of the route.
  FlowsOfRoute &endFlows(SimTime now) {
    uint32_t c = queue.front().route;
    Transfer &transfer = transfers[c];
    serve(transfer, now);
    do {
      flows.endFirst(transfer);
      shares.remove(c);
    } while (transfer.first && flows.firstTarget(transfer) <= transfer.served);
    if (transfer.first)
      moveInQueue({SimTime::max(), c});
    else
      leaveQueue(c);
    return transfer;
  }

  // --- The queue -------------------------------------------------------------------------

  void moveInQueue(End end) {
    moveInHeap<End>(queue, end, *places[end.route], std::less<>(),
                    [&](const End &moved, size_t at) { places[moved.route] = at; });
  }

  /// Removes the idle route \p c.
  void leaveQueue(uint32_t c) {
    End last = queue.back();
    queue.pop_back();
    uint32_t at = *std::exchange(places[c], OptionalIndex());
    if (at < queue.size()) {
      places[last.route] = at;
      moveInQueue(last);
    }
    transfers[c].rate = transfers[c].served = 0;
  }

  FlowLists flows;
  FairShares shares;
  std::vector<Transfer> transfers;   ///< by route
  std::vector<End> queue;            ///< a heap, the next end first
  std::vector<OptionalIndex> places; ///< by route: index in the queue
  std::optional<SimTime> scheduled;  ///< the earliest event that calls endDue()
  bool settles = false;              ///< an event to settle the rates is scheduled
};
} // namespace

SimTime MaxMinNetwork::estimate(ArrayRef<LinkId> links, Bytes size, SimTime now) const {
  SimTime longest;
  for (LinkId link : links)
    longest = std::max(longest, transferTime(size, routes.machine.link(link).bandwidth) *
                                    (int64_t(shares.active(link)) + 1));
  return now + longest;
}

void MaxMinNetwork::inject(uint32_t f, SimTime now) {
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

void MaxMinNetwork::event(uint32_t token, SimTime now) {
  if (token == settleToken)
    settle(now);
  else if (token == endToken)
    endDue(now);
  else
    begin(token, now);
}

void MaxMinNetwork::begin(uint32_t f, SimTime now) {
  beginFlow(f, now);
  settleSoon(now);
}

/// Schedules one event to settle all flows that begin or end now.
void MaxMinNetwork::settleSoon(SimTime now) {
  if (!std::exchange(settles, true))
    host->schedule(now, settleToken);
}

void MaxMinNetwork::settle(SimTime now) {
  settles = false;
  settleRates(now);
  scheduleEnd();
}

void MaxMinNetwork::scheduleEnd() {
  SimTime end = nextEnd();
  if (end == SimTime::max() || (scheduled && *scheduled <= end))
    return;
  scheduled = end;
  host->schedule(end, endToken);
}

/// Ends the flows that are due. There may be none, if rates have changed or an earlier event has
/// replaced this one.
void MaxMinNetwork::endDue(SimTime now) {
  if (scheduled != now)
    return;
  scheduled.reset();
  while (nextEnd() <= now) {
    arrive(endFlows(now), now);
    settleSoon(now);
  }
  if (!settles)
    scheduleEnd();
}

/// Handles \p f if no link of its route limits it.
void MaxMinNetwork::arriveAtOnce(uint32_t f, SimTime now) {
  if (observed)
    reportRoute(flights[f], now, now);
  arrives(f, now + routes[flights[f].route].latency);
}

/// Delivers ended flows in the order in which they were sent.
void MaxMinNetwork::arrive(FlowsOfRoute &lists, SimTime now) {
  while (std::optional<uint32_t> f = flows.takeArrived(lists)) {
    Flight &flight = flights[*f];
    const Route &route = routes[flight.route];
    SimTime alone = route.latency + transferTime(flight.size, route.bottleneck);
    flight.contention = std::max(now - flight.injected - alone, SimTime());
    if (observed)
      reportRoute(flight, flight.injected + route.latency, now);
    arrives(*f, now);
  }
}

std::unique_ptr<NetworkModel> cclc::createMaxMinNetwork(const RouteTable &routes) {
  return std::make_unique<MaxMinNetwork>(routes, FairShares(routes));
}

std::unique_ptr<NetworkModel> cclc::createMaxMinFastNetwork(const RouteTable &routes) {
  return std::make_unique<MaxMinNetwork>(routes, FairShares(routes, toleranceParts));
}
