//===- SwitchTraffic.cpp - Messages of multicasts and reductions ----------===//
//
// A message of a multicast, and one that takes part in a reduction, goes to the switch in one
// flight. The switch sends a multicast on in one flight for each member. A reduction waits until
// there is a message of every connection, the next one of each in its order, and sends the sum on
// in one flight. The second flight begins when the heads of its messages are at the switch, and
// does not end before their tails could: that is cut-through, where arrivals are known in advance.
//
// Implements rules 62 and 63.
//
//===----------------------------------------------------------------------===//

#include "SwitchTraffic.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace cclc;

SwitchTraffic::SwitchTraffic(PlanState &state) : state(state) {
  const PlacedPlan &placed = state.placed;
  if (placed.switchRoutes.empty())
    return;
  sums.resize(state.threads.size());
  contributed.resize(placed.placedConnections.size());
  crosses.resize(state.threads.size());
  for (uint32_t t = 0; t < crosses.size(); ++t) {
    ArrayRef<ConnectionId> sends = placed.connections.sendsOf(t);
    crosses[t] = llvm::any_of(sends, [&](ConnectionId c) {
      return state.plan.threadblocks()[t].multicasts() || receiverOf(c).reducesInSwitch();
    });
  }
}

const Threadblock &SwitchTraffic::receiverOf(ConnectionId connection) const {
  return state.plan.threadblocks()[state.placed.placedConnections[connection.index()].receiverTb];
}

void SwitchTraffic::noteCrossing(uint32_t flight, const Crossing &crossing) {
  if (crossings.size() <= flight)
    crossings.resize(flight + 1);
  crossings[flight] = crossing;
}

/// Creates the flight of a message of \p t to the switch.
uint32_t SwitchTraffic::crossToSwitch(uint32_t t, Bytes size, SimTime start) {
  RankId rank = state.plan.threadblocks()[t].rank;
  uint32_t route = state.share.firstConnection + state.placed.switchRoutes.to(rank);
  uint32_t f = state.network.create(route, state.machine.switches->onWire(size), start,
                                    state.execution(state.threads[t]));
  noteCrossing(f, {Crossing::Kind::ToSwitch, t, {}, start, {}, {}});
  return f;
}

bool SwitchTraffic::passesSwitch(uint32_t f, SimTime &at, StepModel &steps) {
  const Crossing crossing = crossings[f];
  if (crossing.kind == Crossing::Kind::FromSwitch && crossing.connection) {
    at = std::max(at, crossing.earliest);
    return true;
  }
  state.schedule(at, Event::Kind::Release, f);
  if (crossing.kind == Crossing::Kind::ToSwitch)
    enterSwitch(crossing, state.network.flight(f), at, steps);
  return false;
}

/// A message reaches the switch with its last byte \p at.
void SwitchTraffic::enterSwitch(const Crossing &crossing, const Flight flight, SimTime at,
                                StepModel &steps) {
  uint32_t t = crossing.threadblock;
  const Threadblock &tb = state.plan.threadblocks()[t];
  const Route &route = state.placed.routes[state.placed.switchRoutes.to(tb.rank)];
  steps.messageLeaves(t, flight, at - route.latency);
  SimTime head = std::max(state.now, at - transferTime(flight.size, route.bottleneck));
  Addends one{1, head, at, crossing.sent, flight.contention, flight.sender, flight.size};
  for (ConnectionId connection : state.placed.connections.sendsOf(t)) {
    if (const Threadblock &receiver = receiverOf(connection); receiver.reducesInSwitch())
      contribute(connection, one);
    else
      leaveSwitch(receiver.rank, connection, one);
  }
  if (tb.multicasts()) // its own copy
    leaveSwitch(tb.rank, {}, one);
}

/// Adds a message to the sum that it belongs to.
void SwitchTraffic::contribute(ConnectionId connection, const Addends &one) {
  uint32_t t = state.placed.placedConnections[connection.index()].receiverTb;
  Sums &pending = sums[t];
  uint64_t number = contributed[connection.index()]++ - pending.complete;
  if (pending.addends.size() <= number)
    pending.addends.resize(number + 1);
  Addends &sum = pending.addends[number];
  ++sum.messages;
  if (one.tail >= sum.tail) {
    sum.sent = one.sent;
    sum.sender = one.sender;
    sum.contention = one.contention;
  }
  sum.head = std::max(sum.head, one.head);
  sum.tail = std::max(sum.tail, one.tail);
  sum.size = one.size;
  ArrayRef<ConnectionId> connections = state.placed.connections.recvsOf(t);
  if (sum.messages < connections.size())
    return;
  // The receiver's own data cross its link to the switch, too.
  RankId rank = state.plan.threadblocks()[t].rank;
  uint32_t own =
      state.network.create(state.share.firstConnection + state.placed.switchRoutes.to(rank),
                           sum.size, sum.head, sum.sender);
  noteCrossing(own, {Crossing::Kind::Own, t, {}, sum.sent, {}, {}});
  state.schedule(sum.head, Event::Kind::Inject, own);
  leaveSwitch(rank, connections.front(), sum);
  ++pending.complete;
  pending.addends.pop_front();
}

void SwitchTraffic::leaveSwitch(RankId to, OptionalId<ConnectionId> connection,
                                const Addends &data) {
  uint32_t route = state.placed.switchRoutes.from(to);
  SimTime latency = state.machine.switches->latency, start = data.head + latency;
  uint32_t f =
      state.network.create(state.share.firstConnection + route, data.size, start, data.sender);
  noteCrossing(f, {Crossing::Kind::FromSwitch, 0, connection, data.sent, data.contention,
                   data.tail + latency + state.placed.routes[route].latency});
  state.schedule(start, Event::Kind::Inject, f);
}

void SwitchTraffic::addCrossing(uint32_t f, Arrival &arrival) const {
  arrival.injected = crossings[f].sent;
  arrival.contention += crossings[f].contention;
}
