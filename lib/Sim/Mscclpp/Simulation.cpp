//===- Simulation.cpp - Threadblocks of MSCCL++ and their waits -----------===//
//
// A threadblock executes its operations in order. Each passes through stages (State.h); an event
// continues it at the end of the time of a stage, or when what it waits for has happened, which it
// then checks again. Its whole time is charged to causes.
//
// Implements rules M1 to M4 and M9.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include "cclc/Support/MemoryBudget.h"

#include <algorithm>

namespace cclc::mscclpp {

SimResult simulate(const PlacedPlan &placed, const SizedPlan &sized, NetworkModel &network,
                   const RunOptions &options) {
  MemoryBudget::Work work("the simulation");
  return Simulation(placed, sized, network, options).run();
}

Simulation::Simulation(const PlacedPlan &placed, const SizedPlan &sized, NetworkModel &network,
                       const RunOptions &options, NetworkShare share)
    : placed(placed), sized(sized), plan(sized.plan), model(placed.model), network(network),
      options(options), share(share), counters(plan), groups(plan), counts(counters.all().size()),
      barriers(counters.barriers().size()) {
  for (size_t c = 0; c < counts.size(); ++c)
    counts[c].value = counters.all()[c].initial;
  uint32_t channels = 0;
  for (const Rank &rank : plan.ranks()) {
    ranks.emplace_back().running = rank.threadblocks.count;
    firstPort.push_back(channels);
    channels += plan.channels(rank, ChannelKind::Port).size();
  }
  ports.resize(channels);
  for (const Threadblock &tb : plan.threadblocks()) {
    Worker &worker = workers.emplace_back();
    worker.next = worker.begin = tb.ops.first;
    worker.end = tb.ops.first + tb.ops.count;
    worker.rank = tb.rank.index();
  }
  result.causes.resize(workers.size());
  result.finished.resize(workers.size());
  for (const Operation &op : plan.ops())
    executions.append(1 + slicesOf(op));
  if (options.criticalPath)
    recorder.emplace(std::max<uint64_t>(executions.perTrip() * options.repeat, 1));
}

SimResult Simulation::run() {
  network.attach(*this, !options.listeners.empty());
  begin();
  while (!queue.empty() && !result.stopped) {
    result.stopped = options.until && queue.nextTime() > *options.until;
    if (!result.stopped)
      step();
  }
  result.links = network.linkUse();
  return finish();
}

void Simulation::begin() {
  for (uint32_t t = 0; t < workers.size(); ++t) {
    charge(t, Cause::Launch, model.launch);
    continueAt(t, model.launch);
  }
  for (uint32_t r = 0; r < ranks.size(); ++r)
    if (ranks[r].running == 0)
      endLaunch(r);
}

void Simulation::step() {
  auto entry = queue.pop();
  now = entry.time;
  handle(entry.event);
}

void Simulation::handle(Event event) {
  switch (event.kind) {
  case Event::Kind::Continue:
    return advance(event.index);
  case Event::Kind::Network:
    return network.event(event.index, now + share.start);
  case Event::Kind::Inject:
    return network.start(event.index, now + share.start);
  case Event::Kind::Arrive:
    return land(event.index);
  case Event::Kind::Signal: {
    SignalState signal = signals[event.index];
    freeSignals.push_back(event.index);
    return deliver(signal.counter, signal.origin);
  }
  case Event::Kind::Transfer:
    return transfer(event.index);
  case Event::Kind::Packets:
    return checkPackets(event.index);
  }
}

void Simulation::linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) {
  notify(options.listeners, &SimListener::linkBusy, link, bytes, begin, end);
}

// --- Time ---------------------------------------------------------------------------------

StepRun Simulation::stepOf(uint32_t t) const {
  const Worker &self = workers[t];
  // The time before the first operation is charged to it.
  uint32_t number = self.begin < self.end
                        ? sized.numberInFile(t, plan.ops()[std::min(self.next, self.end - 1)])
                        : 0;
  return {PlanThreadblockId(t), StepId(number), 0};
}

void Simulation::charge(uint32_t t, Cause cause, SimTime until) {
  Worker &self = workers[t];
  if (until <= self.since)
    return;
  result.causes[t][static_cast<size_t>(cause)] += until - self.since;
  for (SimListener *listener : options.listeners)
    listener->spent(stepOf(t), cause, self.since, until);
  self.since = until;
}

void Simulation::chargeWait(uint32_t t, Cause cause, const Origin *origin) {
  if (origin) {
    charge(t, Cause::Dependence, std::min(origin->sent, now));
    charge(t, Cause::Contention, std::min(origin->sent + origin->contention, now));
  }
  charge(t, cause, now);
}

void Simulation::record(uint32_t t, Cause cause, const Origin *origin) {
  Worker &self = workers[t];
  uint64_t me = execution(self);
  uint64_t previous = std::exchange(self.previous, me);
  if (!recorder)
    return;
  recorder->begins(me, now);
  bool first = self.next == self.begin && self.part() == 0;
  if (origin)
    recorder->waited(me, cause, origin->execution, std::min(origin->sent, now), origin->contention);
  else if (!first)
    recorder->follows(me, previous);
  else if (self.launch > 0)
    recorder->waited(me, Cause::Dependence, ranks[self.rank].last, now);
}

void Simulation::continueAt(uint32_t t, SimTime at) {
  workers[t].busy = at;
  queue.push(at, {Event::Kind::Continue, t});
}

void Simulation::wake(std::vector<uint32_t> &waiters) {
  for (uint32_t t : waiters)
    queue.push(now, {Event::Kind::Continue, t});
  waiters.clear();
}

SimTime Simulation::costOf(const Operation &op) const {
  SimTime cost = model.dispatch;
  switch (op.op) {
  case OpKind::Nop:
    return cost + model.nop;
  case OpKind::Barrier:
    return cost + model.barrier;
  case OpKind::Release:
  case OpKind::Acquire:
    return cost + model.semaphore;
  case OpKind::Wait:
  case OpKind::RelaxedWait:
    return cost + model.wait;
  case OpKind::Signal:
  case OpKind::RelaxedSignal:
    return op.channel == ChannelKind::Memory ? cost + model.signal : cost;
  default:
    if (!traits(op.op).movesData() || (op.isByProxy() && op.op != OpKind::ReadPutPackets))
      return cost;
    return cost + (traits(op.op).usesPackets() ? model.packets : model.memory).latency;
  }
}

// --- Operations ---------------------------------------------------------------------------

void Simulation::advance(uint32_t t) {
  Worker &self = workers[t];
  bool goesOn = true;
  while (goesOn && !self.idle && self.next < self.end && now >= self.busy) {
    switch (self.stage) {
    case Stage::Begin:
    case Stage::Publish:
      goesOn = begin(t);
      break;
    case Stage::Prepare:
      goesOn = prepared(t);
      break;
    case Stage::Slice:
      goesOn = beginSlice(t);
      break;
    case Stage::Load:
    case Stage::Store:
      goesOn = self.pending == 0 && beginStores(t);
      break;
    case Stage::Process:
      endSlice(t);
      break;
    case Stage::Flush:
      goesOn = self.pending == 0;
      charge(t, Cause::Link, now);
      if (goesOn)
        complete(t);
      break;
    }
  }
  if (self.begin == self.end && !self.idle) {
    self.idle = true;
    result.finished[t] = now;
    if (--ranks[self.rank].running == 0)
      endLaunch(self.rank);
  }
}

/// Returns whether the current operation can begin.
bool Simulation::begin(uint32_t t) {
  Worker &self = workers[t];
  const Operation &op = current(self);
  bool publishes = gives(op.op) && op.channel == ChannelKind::Memory && op.op != OpKind::Release;
  if (publishes && op.op == OpKind::RelaxedSignal)
    publishes = self.multicasts;
  if (takes(op.op) ? !takeSignals(t) : op.op == OpKind::Barrier && !meet(t))
    return false;
  if (publishes && (self.unsettled > 0 || self.visible > now)) {
    self.stage = Stage::Publish;
    if (self.unsettled == 0)
      continueAt(t, self.visible);
    return false;
  }
  if (!takes(op.op) && op.op != OpKind::Barrier) {
    Origin last{self.previous, self.since, {}};
    record(t, Cause::Link, self.since < now ? &last : nullptr);
    charge(t, Cause::Link, now);
  }
  notify(options.listeners, &SimListener::stepBegins, stepOf(t), now);
  self.stage = Stage::Prepare;
  SimTime end = now + costOf(op);
  charge(t, Cause::Engine, end);
  continueAt(t, end);
  return end == now;
}

/// Consumes the signals that the operation waits for, or none.
bool Simulation::takeSignals(uint32_t t) {
  Worker &self = workers[t];
  const Operation &op = current(self);
  SmallVector<uint32_t, 8> taken;
  for (uint32_t i = 0; i < op.ids.count; ++i)
    taken.push_back(*counters.counter(threadblock(t), op, i));
  for (uint32_t c : taken)
    if (counts[c].value < size_t(llvm::count(taken, c))) {
      counts[c].waiters.push_back(t);
      return false;
    }
  std::optional<Origin> last;
  for (uint32_t c : taken) {
    --counts[c].value;
    if (counts[c].origins.empty())
      continue; // an initial value
    Origin origin = counts[c].origins.front();
    counts[c].origins.pop_front();
    if (!last || origin.sent > last->sent)
      last = origin;
  }
  Cause cause = op.op == OpKind::Acquire ? Cause::Dependence : Cause::Link;
  bool waited = self.since < now;
  chargeWait(t, cause, last ? &*last : nullptr);
  record(t, cause, waited && last ? &*last : nullptr);
  return true;
}

/// Arrives at a barrier; returns whether all others have.
bool Simulation::meet(uint32_t t) {
  Worker &self = workers[t];
  const Operation &op = current(self);
  BarrierState &barrier = barriers[counters.barrier(threadblock(t), op)];
  bool isLast = false;
  if (!self.arrivalsNeeded) {
    self.arrivalsNeeded = barrier.arrivals / op.participants * op.participants + op.participants;
    isLast = ++barrier.arrivals == self.arrivalsNeeded;
  }
  if (barrier.arrivals < self.arrivalsNeeded) {
    barrier.waiters.push_back(t);
    return false;
  }
  self.arrivalsNeeded = 0;
  charge(t, Cause::Dependence, now);
  record(t, Cause::Dependence, isLast ? nullptr : &barrier.last);
  if (isLast) {
    barrier.last = {self.previous, now, {}};
    wake(barrier.waiters);
  }
  return true;
}

/// The threads have been dispatched. Returns whether the threadblock continues at once.
bool Simulation::prepared(uint32_t t) {
  Worker &self = workers[t];
  const Operation &op = current(self);
  if (traits(op.op).movesData() && (!op.isByProxy() || op.op == OpKind::ReadPutPackets)) {
    self.slice = 0;
    self.stage = Stage::Slice;
  } else {
    give(t);
    if (self.stage == Stage::Prepare)
      complete(t);
  }
  return true;
}

/// The effect of an operation on counters and proxies.
void Simulation::give(uint32_t t) {
  Worker &self = workers[t];
  const Operation &op = current(self);
  if (op.channel == ChannelKind::Port && op.idKind() == IdKind::Channels && !takes(op.op) &&
      op.op != OpKind::Flush)
    return tell(t);
  if (!gives(op.op))
    return;
  if (op.op != OpKind::Release)
    self.multicasts = false;
  const Threadblock &tb = threadblock(t);
  Origin origin{self.previous, now, {}};
  for (uint32_t i = 0; i < op.ids.count; ++i) {
    std::optional<uint32_t> counter = counters.counter(tb, op, i);
    if (!counter)
      continue;
    if (op.op == OpKind::Release) {
      deliver(*counter, origin);
      continue;
    }
    RankId peer = counters.all()[*counter].rank;
    addSignal(*counter, origin,
              peer == tb.rank ? now : now + placed.latency(placed.route(tb.rank, peer)));
  }
}

void Simulation::addSignal(uint32_t counter, const Origin &origin, SimTime at) {
  if (freeSignals.empty()) {
    freeSignals.push_back(signals.size());
    signals.emplace_back();
  }
  uint32_t number = freeSignals.back();
  freeSignals.pop_back();
  signals[number] = {counter, origin};
  queue.push(at, {Event::Kind::Signal, number});
}

void Simulation::deliver(uint32_t counter, const Origin &origin) {
  ++counts[counter].value;
  counts[counter].origins.push_back(origin);
  wake(counts[counter].waiters);
}

void Simulation::complete(uint32_t t) {
  Worker &self = workers[t];
  notify(options.listeners, &SimListener::stepEnds, stepOf(t), now);
  ++result.steps;
  self.stage = Stage::Begin;
  self.slice = 0;
  if (++self.next < self.end)
    return;
  self.idle = true;
  result.finished[t] = now;
  RankState &rank = ranks[self.rank];
  rank.last = self.previous;
  if (--rank.running == 0)
    endLaunch(self.rank);
}

void Simulation::endLaunch(uint32_t r) {
  RankState &rank = ranks[r];
  if (options.data)
    options.data->endLaunch(RankId(r), rank.launch);
  rank.packets.erase(rank.launch);
  if (++rank.launch == 1)
    result.firstRun = std::max(result.firstRun, now);
  if (rank.launch == options.repeat)
    return;
  const Range &own = plan.ranks()[r].threadblocks;
  if (own.count == 0)
    return endLaunch(r);
  rank.running = own.count;
  notify(options.listeners, &SimListener::runBegins, RankId(r), rank.launch, now);
  for (uint32_t t = own.first; t < own.first + own.count; ++t) {
    Worker &self = workers[t];
    charge(t, Cause::Dependence, now);
    self.next = self.begin;
    self.launch = rank.launch;
    self.idle = false;
    continueAt(t, now);
  }
}

// --- Results ------------------------------------------------------------------------------

SimResult Simulation::finish() {
  result.completed = true;
  uint32_t last = 0;
  for (uint32_t t = 0; t < workers.size(); ++t) {
    result.completed &= workers[t].idle && workers[t].launch + 1 == options.repeat;
    if (result.finished[t] > result.finished[last])
      last = t;
  }
  result.stopped &= !result.completed;
  result.time = std::max(model.launch, workers.empty() ? SimTime() : result.finished[last]);
  result.events = queue.count();
  if (!recorder || result.steps == 0)
    return std::move(result);
  auto threadblockOf = [&](uint32_t op) {
    return llvm::partition_point(workers, [&](const Worker &tb) { return tb.end <= op; }) -
           workers.begin();
  };
  result.criticalPath =
      recorder->path(workers[last].previous, result.time, executions, threadblockOf);
  for (PathSegment &segment : result.criticalPath)
    segment.step = sized.numberInFile(segment.threadblock, plan.ops()[segment.step]);
  return std::move(result);
}

} // namespace cclc::mscclpp
