//===- FlowNetwork.cpp - The events of flows ------------------------------===//
//
// Flows that begin or end at the same time change the rates once, in an event at that time. There
// is one event for the next end; ends that become later are found by it, for those that become
// earlier there is a further one.
//
//===----------------------------------------------------------------------===//

#include "FlowNetwork.h"

using namespace cclc;

SimTime FlowNetwork::estimate(ArrayRef<LinkId> links, Bytes size, SimTime now) const {
  SimTime longest;
  for (LinkId link : links)
    longest = std::max(longest, transferTime(size, routes.machine.link(link).bandwidth) *
                                    (int64_t(active(link)) + 1));
  return now + longest;
}

void FlowNetwork::inject(uint32_t f, SimTime now) {
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

void FlowNetwork::event(uint32_t token, SimTime now) {
  if (token == settleToken)
    settle(now);
  else if (token == endToken)
    endDue(now);
  else
    begin(token, now);
}

void FlowNetwork::begin(uint32_t f, SimTime now) {
  beginFlow(f, now);
  settleSoon(now);
}

/// Schedules one event to settle all flows that begin or end now.
void FlowNetwork::settleSoon(SimTime now) {
  if (!std::exchange(settles, true))
    host->schedule(now, settleToken);
}

void FlowNetwork::settle(SimTime now) {
  settles = false;
  settleRates(now);
  scheduleEnd();
}

void FlowNetwork::scheduleEnd() {
  SimTime end = nextEnd();
  if (end == SimTime::max() || (scheduled && *scheduled <= end))
    return;
  scheduled = end;
  host->schedule(end, endToken);
}

/// Ends the flows that are due. There may be none, if rates have changed or an earlier event has
/// replaced this one.
void FlowNetwork::endDue(SimTime now) {
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
void FlowNetwork::arriveAtOnce(uint32_t f, SimTime now) {
  if (observed)
    reportRoute(flights[f], now, now);
  arrives(f, now + routes[flights[f].route].latency);
}

/// Delivers ended flows in the order in which they were sent.
void FlowNetwork::arrive(FlowsOfRoute &lists, SimTime now) {
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
