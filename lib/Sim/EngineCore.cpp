//===- EngineCore.cpp - The event loop and its threadblocks ---------------===//
//
// A discrete-event simulation. A threadblock runs until its step takes time, which is an event, or
// has to wait; then the event that it waits for wakes it: the end of a step of its rank, a message
// or a credit. Threadblocks that an event has woken run immediately after it, in the order in which
// they were woken, so that results are deterministic.
//
// Implements rules 2, 8 to 11 and 26 to 28.
//
//===----------------------------------------------------------------------===//

#include "EngineCore.h"

#include "cclc/Support/MixBits.h"
#include "cclc/Support/Prefetch.h"

#include <algorithm>

using namespace cclc;

EngineCore::EngineCore(const BoundPlan &bound, const Sizing &sizing, NetworkModel &network,
                       const SimOptions &options, MachineShare share)
    : SwitchTraffic(bound, sizing, network, options, std::move(share)),
      onProgress(options.onProgress), until(options.until),
      waits(plan.threadblocks().size(), Cause::Dependence), randomSchedule(options.randomSchedule) {
  if (options.criticalPath) {
    recorder.emplace(trips * executions.perTrip());
    latest.resize(plan.steps().size());
  }
  for (uint32_t r = 0; r < options.skew.size(); ++r)
    peOf(r).skew = options.skew[r];
  createThreads();
  createFifos();
  prepareSwitches();
}

void EngineCore::createThreads() {
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
    const Threadblock &tb = plan.threadblocks()[t];
    ThreadblockState thread{};
    thread.next = thread.begin = tb.firstStep;
    thread.end = tb.firstStep + tb.numSteps;
    thread.rank = tb.rank.index();
    thread.pe = share.peOf[thread.rank];
    thread.announced = share.start;
    if (ArrayRef<ConnectionId> sends = bound.connections.sendsOf(t); !sends.empty())
      thread.send = sends.front();
    if (ArrayRef<ConnectionId> recvs = bound.connections.recvsOf(t); !recvs.empty())
      thread.recv = recvs.front();
    thread.idle = tb.numSteps == 0;
    states.push_back(thread);
  }
  result.causes.resize(states.size());
  result.finished.resize(states.size());
}

bool EngineCore::begin() {
  // The calls are issued first, in program order.
  result.closedGate = findClosedGate(plan);
  if (result.closedGate)
    return false;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    queue.push(startOf(peOf(r)), {Event::Kind::Load, r});
  for (uint32_t t = 0; t < states.size(); ++t) {
    SimTime start = startOf(pes[states[t].pe]);
    charge(t, Cause::Launch, start - share.start);
    states[t].since = states[t].ended = start;
    queue.push(start, {Event::Kind::Continue, t});
  }
  return true;
}

SimResult EngineCore::run() {
  network.attach(*this, !listeners.empty());
  if (!begin())
    return std::move(result);
  uint64_t handled = 0;
  while (!queue.empty() && !result.stopped) {
    step();
    result.stopped = until && now - share.start > *until;
    if (onProgress && ++handled % eventsBetweenReports == 0)
      onProgress(result.steps);
  }
  SimResult finished = finish();
  finished.links = network.linkUse();
  return finished;
}

void EngineCore::handle(Event event) {
  switch (event.kind) {
  case Event::Kind::Continue:
    advance(event.index);
    break;
  case Event::Kind::StepDone:
    complete(event.index);
    advance(event.index);
    break;
  case Event::Kind::PartDone:
    endPart(event.index);
    advance(event.index);
    break;
  case Event::Kind::Inject:
    network.start(event.index, now);
    break;
  case Event::Kind::Network:
    network.event(event.index, now);
    break;
  case Event::Kind::Arrive:
    store(event.index);
    break;
  case Event::Kind::Deliver:
    deliver(event.index);
    break;
  case Event::Kind::BeginRun:
    beginRun(event.index);
    break;
  case Event::Kind::Signal:
  case Event::Kind::Request:
    readEvent(event);
    break;
  case Event::Kind::Release:
    network.release(event.index);
    break;
  case Event::Kind::Load:
    issueLoad(event.index);
    break;
  case Event::Kind::LoadArrives:
    keepLoad(event.index);
    break;
  case Event::Kind::LoadDone:
    completeLoad(event.index);
    break;
  case Event::Kind::Store:
    issueStore(event.index);
    break;
  case Event::Kind::StoreDone:
    if (completeStore(event.index) && runs.isBetweenRuns(event.index))
      endRunOfRank(event.index, memories[event.index].lastStore);
    break;
  }
  // Run the threadblocks that were woken, in order.
  for (size_t i = 0; i < woken.size(); ++i)
    advance(woken[i]);
  woken.clear();
}

// --- Threadblocks ---------------------------------------------------------------------

void EngineCore::announce(uint32_t t, Cause cause, SimTime time) {
  ThreadblockState &self = states[t];
  SimTime begin = std::exchange(self.announced, self.announced + time);
  for (SimListener *listener : listeners)
    listener->spent(current(t), cause, begin, self.announced);
}

/// Charges the time since the last charge.
void EngineCore::chargeLongWait(uint32_t t) {
  ThreadblockState &self = states[t];
  Cause cause = waits[t];
  // The message that ended the wait has the time when it was sent and its contention.
  if (cause == Cause::Link && !incoming(self).empty()) {
    const Arrival &arrival = incoming(self).front();
    SimTime sent = std::clamp(arrival.injected, self.since, now);
    SimTime flight = now - sent;
    SimTime held = std::min(arrival.contention, flight);
    charge(t, Cause::Dependence, sent - self.since);
    charge(t, Cause::Contention, held);
    charge(t, Cause::Link, flight - held);
    self.since = now;
    return;
  }
  charge(t, cause, now - self.since);
  self.since = now;
}

/// The threadblock that \p step of \p t waits for.
ThreadblockState &EngineCore::ownerOf(uint32_t t, const Step &step) {
  return states[plan.firstThreadblock(plan.threadblocks()[t].rank) + step.wait()->tb.index()];
}

bool EngineCore::stepIsDone(uint32_t t, const Step &step) {
  ThreadblockState &self = states[t];
  ThreadblockState &other = ownerOf(t, step);
  uint32_t target = (*bound.publishers[other.begin + step.wait()->step.index()]).index();
  if (other.trip > self.trip || (other.trip == self.trip && other.next > target))
    return true;
  if (&other != &self) {
    self.link = other.waiters;
    other.waiters = t;
  }
  return false;
}

bool EngineCore::generationMatches(const ThreadblockState &self, const Arrival &arrival) const {
  if (self.awaitsData)
    return true;
  return gates.match(executions.stepOf(arrival.sender), executions.tripOf(arrival.sender),
                     self.next, self.trip);
}

bool EngineCore::gateIsOpen(uint32_t t) {
  std::optional<ClosedGate> closed = gates.enter(t, states[t].next, states[t].trip);
  if (closed)
    result.closedGate = closed;
  return !closed;
}

void EngineCore::complete(uint32_t t) {
  ThreadblockState &self = states[t];
  for (SimListener *listener : listeners)
    listener->stepEnds(current(t), now);
  ++result.steps;
  storeResults(t, execution(self));
  const Step &step = plan.steps()[self.next];
  prefetchAhead(step);
  if (++self.next == self.end) {
    self.next = self.begin;
    ++self.trip;
    if (++self.piece == sizing.pieces)
      endRun(t);
  }
  if (!step.publishes)
    return;
  // The list has the longest wait at its end, which is woken first.
  size_t first = woken.size();
  while (self.waiters) {
    uint32_t waiter = *self.waiters;
    self.waiters = std::exchange(states[waiter].link, OptionalIndex());
    woken.push_back(waiter);
  }
  std::reverse(woken.begin() + first, woken.end());
}

/// Depends on \p what alone and not on the order of events, so that plans have equal delays in all
/// network models.
static SimTime randomDelay(uint64_t seed, uint64_t what) {
  constexpr uint64_t mostPicoseconds = 1'000'000;
  return SimTime(mixBits(mixBits(seed + goldenBits) + what * goldenBits) % mostPicoseconds);
}

SimTime EngineCore::stepDelay(const ThreadblockState &self) const {
  return randomSchedule ? randomDelay(*randomSchedule, 2 * execution(self)) : SimTime();
}

SimTime EngineCore::messageDelay(uint64_t sender) const {
  return randomSchedule ? randomDelay(*randomSchedule, 2 * sender + 1) : SimTime();
}

// --- Runs (rule 9) --------------------------------------------------------------------

/// Whether the next step of the threadblock is the first one of a run other than the first run.
bool EngineCore::beginsRun(const ThreadblockState &self) const {
  return self.trip > 0 && self.piece == 0 && self.next == self.begin && self.part == 0;
}

void EngineCore::endRun(uint32_t t) {
  ThreadblockState &self = states[t];
  self.piece = 0;
  self.idle = true;
  waits[t] = Cause::Dependence;
  if (self.trip == trips)
    result.finished[t] = now;
  if (!runs.endThreadblock(self.rank))
    return;
  if (memories[self.rank].stores.empty())
    endRunOfRank(self.rank, self.previous);
}

/// All steps of a run of \p rank have ended and its results are stored, the last by
/// \p lastExecution.
void EngineCore::endRunOfRank(uint32_t rank, uint64_t lastExecution) {
  if (runs.run(rank) == 1)
    result.firstRun = std::max(result.firstRun, now - share.start);
  if (runs.isDone(rank))
    return;
  runs.begin(rank, now, lastExecution);
  memories[rank].loaded = 0;
  queue.push(now, {Event::Kind::BeginRun, rank});
}

void EngineCore::beginRun(uint32_t rank) {
  issueLoad(rank);
  for (SimListener *listener : listeners)
    listener->runBegins(RankId(rank), runs.run(rank), now);
  uint32_t first = plan.firstThreadblock(RankId(rank));
  for (uint32_t t = first; t < first + plan.numThreadblocks(RankId(rank)); ++t)
    if (states[t].begin < states[t].end) {
      states[t].idle = false;
      woken.push_back(t);
    }
}

SimResult EngineCore::finish() {
  result.completed = true;
  uint32_t last = 0;
  for (uint32_t t = 0; t < states.size(); ++t) {
    result.completed &= runs.isDone(states[t].rank);
    if (result.finished[t] > result.finished[last])
      last = t;
  }
  SimTime done = launch;
  uint64_t lastExecution = 0;
  if (!states.empty()) {
    done = std::max(done, result.finished[last]);
    lastExecution = states[last].previous;
  }
  for (const RankMemory &rank : memories)
    if (rank.stored > done) {
      done = rank.stored;
      lastExecution = rank.lastStore;
    }
  done -= share.start;
  for (SimTime &end : result.finished)
    end -= share.start;
  result.time = done;
  // Events such as the return of credits may follow the end.
  result.stopped &= !result.completed;
  if (result.completed)
    result.time = std::max(done, machine.launchInterval * int64_t(trips / sizing.pieces));
  if (recorder && result.completed && trips > 0)
    traceBack(lastExecution, done);
  result.events = queue.count();
  return std::move(result);
}
