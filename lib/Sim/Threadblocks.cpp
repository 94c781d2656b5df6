//===- Threadblocks.cpp - Waits and times of threadblocks -----------------===//
//
// A threadblock runs until its step takes time, which is an event, or has to wait; then the event
// that it waits for wakes it: the end of a step of its rank, a message or a credit. Its whole time
// is charged to causes.
//
// Implements rules 2, 8, 10, 11 and 26 to 28.
//
//===----------------------------------------------------------------------===//

#include "Threadblocks.h"

#include "cclc/Support/Prefetch.h"

#include <algorithm>

using namespace cclc;

void Threadblocks::launch(uint32_t t) {
  ThreadblockState &self = state.threads[t];
  SimTime start = state.startOf(state.pes[self.pe]);
  charge(t, Cause::Launch, start - state.share.start);
  self.since = self.ended = start;
  state.schedule(start, Event::Kind::Continue, t);
}

void Threadblocks::announce(uint32_t t, Cause cause, SimTime time) {
  ThreadblockState &self = state.threads[t];
  SimTime begin = std::exchange(self.announced, self.announced + time);
  notify(state.listeners, &SimListener::spent, state.current(t), cause, begin, self.announced);
}

void Threadblocks::chargeLongWait(uint32_t t) {
  ThreadblockState &self = state.threads[t];
  SimTime now = state.now;
  // The message that ended the wait has the time when it was sent and its contention.
  if (waits[t] == Cause::Link && !connections.incoming(self).empty()) {
    const Arrival &arrival = connections.incoming(self).front();
    SimTime sent = std::clamp(arrival.injected, self.since, now);
    SimTime flight = now - sent;
    SimTime held = std::min(arrival.contention, flight);
    charge(t, Cause::Dependence, sent - self.since);
    charge(t, Cause::Contention, held);
    charge(t, Cause::Link, flight - held);
  } else {
    charge(t, waits[t], now - self.since);
  }
  self.since = now;
}

bool Threadblocks::stepIsDone(uint32_t t, const Step &step) {
  ThreadblockState &self = state.threads[t];
  ThreadblockState &other = ownerOf(self, step);
  if (other.trip > self.trip || (other.trip == self.trip && other.next > targetOf(self, step)))
    return true;
  if (&other != &self) {
    self.link = other.waiters;
    other.waiters = t;
  }
  return false;
}

bool Threadblocks::generationMatches(const ThreadblockState &self, const Arrival &arrival) const {
  if (self.awaitsData)
    return true;
  const Executions &executions = state.executions;
  return gates.match(executions.stepOf(arrival.sender), executions.tripOf(arrival.sender),
                     self.next, self.trip);
}

bool Threadblocks::enterGate(uint32_t t) {
  std::optional<ClosedGate> closed = gates.enter(t, state.threads[t].next, state.threads[t].trip);
  if (closed)
    state.result.closedGate = closed;
  return !closed;
}

void Threadblocks::complete(uint32_t t) {
  ThreadblockState &self = state.threads[t];
  if (!state.listeners.empty())
    notify(state.listeners, &SimListener::stepEnds, state.current(t), state.now);
  ++state.result.steps;
  memory.storeResults(self);
  const Step &step = state.plan.steps()[self.next];
  prefetchAhead(step);
  if (++self.next == self.end) {
    self.next = self.begin;
    ++self.trip;
    if (++self.piece == state.sizing.pieces) {
      waits[t] = Cause::Dependence;
      runs.endThreadblock(self);
    }
  }
  if (!step.publishes)
    return;
  // The list has the longest wait at its end, which is woken first.
  std::vector<uint32_t> &woken = state.woken;
  size_t first = woken.size();
  while (self.waiters) {
    uint32_t waiter = *self.waiters;
    self.waiters = std::exchange(state.threads[waiter].link, OptionalIndex());
    woken.push_back(waiter);
  }
  std::reverse(woken.begin() + first, woken.end());
}
