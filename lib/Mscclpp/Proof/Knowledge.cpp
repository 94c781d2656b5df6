//===- Knowledge.cpp - Vector clocks over threadblocks and callers --------===//
//
// Vector clocks, joined at signals, semaphores and barriers; those that are received within a
// segment are joined at its end. Packets and relaxed signals pass on the progress of ranks alone,
// which is the second kind of ordering of Races.h.
//
// A wait joins the clock of the signal that it takes, if the threadblocks give to the counter, and
// take from it, in a fixed order. If takes have no fixed order, it counts only those of its own
// threadblock; if gives have none, it joins the clocks of all signals after taking the same number.
// A fixed order is assumed until an execution contradicts it; then the pass is repeated.
//
//===----------------------------------------------------------------------===//

#include "Knowledge.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

namespace cclc::mscclpp {

Knowledge::Knowledge(const Plan &plan, const Counters &counters)
    : plan(plan), counters(counters), numThreadblocks(plan.threadblocks().size()),
      flows(counters.all().size()), graph(plan.ranks().size()) {
  uint32_t next = numThreadblocks + plan.ranks().size();
  for (uint32_t t = 0; t < numThreadblocks; ++t) {
    firstActor.push_back(next);
    uint32_t actors =
        plan.channels(plan.threadblocks()[t], ChannelKind::Port).size() + usesSwitch(t);
    owners.insert(owners.end(), actors, t);
    next += actors;
  }
  firstActor.push_back(next);
  placeActors();
  reset();
}

/// Threadblocks that use the same counter or barrier hear of each other, directly or by others.
void Knowledge::placeActors() {
  llvm::IntEqClasses groups(numActors());
  auto join = [&](ArrayRef<uint32_t> threadblocks) {
    for (uint32_t t : threadblocks.drop_front(!threadblocks.empty()))
      groups.join(threadblocks.front(), t);
  };
  for (const Counters::Counter &counter : counters.all()) {
    SmallVector<uint32_t, 8> users(counter.givers.begin(), counter.givers.end());
    for (const auto &[threadblock, uses] : counter.takers)
      users.push_back(threadblock);
    join(users);
  }
  for (const Counters::Barrier &barrier : counters.barriers())
    join(barrier.threadblocks);
  for (uint32_t actor = firstActor.front(); actor < numActors(); ++actor)
    groups.join(threadblockOf(actor), actor);
  groups.compress();
  std::vector<std::pair<uint32_t, uint32_t>> order;
  for (uint32_t actor = 0; actor < numActors(); ++actor)
    order.emplace_back(groups[actor], actor);
  llvm::sort(order);
  places.resize(order.size());
  for (uint32_t place = 0; place < order.size(); ++place)
    places[order[place].second] = place;
}

void Knowledge::reset() {
  repeat = false;
  all.assign(numActors(), {});
  segments.assign(numActors(), 0);
  before.assign(plan.ranks().size(), {});
  graph.clear();
  passed.assign(counters.barriers().size(), 0);
  barrierTellings.assign(counters.barriers().size(), {});
  resetFlows();
}

bool Knowledge::addContested(std::vector<bool> &contested) const {
  bool isNew = false;
  for (size_t c = 0; c < flows.size(); ++c)
    if (!flows[c].takesInOrder && !contested[c])
      contested[c] = isNew = true;
  return isNew;
}

void Knowledge::resetFlows() {
  for (size_t c = 0; c < flows.size(); ++c) {
    Flow fresh;
    fresh.givesInOrder = flows[c].givesInOrder;
    fresh.takesInOrder = flows[c].takesInOrder;
    fresh.takenBy.resize(counters.all()[c].takers.size());
    flows[c] = std::move(fresh);
  }
}

void Knowledge::beginLaunch() {
  for (uint32_t r = 0; r < plan.ranks().size(); ++r)
    before[r] = all[caller(RankId(r))].full;
  resetFlows();
}

bool Knowledge::knows(uint32_t self, uint32_t other, uint32_t segment) const {
  if (self == other)
    return segments[self] > segment;
  const State &knowing = state(self);
  if (knowing.full[places[other]] > segment)
    return true;
  return !isCaller(self) && llvm::any_of(knowing.progress.begun.set_bits(), [&](unsigned rank) {
    return before[rank][places[other]] > segment;
  });
}

/// Ends the current segment of \p actor.
void Knowledge::advance(uint32_t actor) {
  all[holder(actor)].full.set(places[actor], ++segments[actor]);
}

/// The caller's turn follows all threadblocks of the rank in the last launch ...
void Knowledge::beginCaller(RankId rank) {
  State &self = all[caller(rank)];
  Range range = plan.ranks()[rank.index()].threadblocks;
  for (uint32_t t = range.first; t < range.first + range.count; ++t) {
    endSegment(t);
    self.full.join(all[t].full);
    self.progress.begun |= all[t].progress.begun;
    self.newMoments.push_back(all[t].moment);
  }
  for (unsigned begun : self.progress.begun.set_bits())
    self.full.join(before[begun]);
  self.newMoments.push_back(self.moment);
  self.moment = graph.addMoment(self.newMoments, {});
  self.newMoments.clear();
}

/// ... and precedes all of them in the next launch.
void Knowledge::endCaller(RankId rank) {
  State &self = all[caller(rank)];
  self.progress.begun.reset();
  advance(caller(rank));
  self.moment = graph.addMoment({self.moment}, {}, rank);
  Range range = plan.ranks()[rank.index()].threadblocks;
  for (uint32_t t = range.first; t < range.first + range.count; ++t) {
    beginLaunch(t, rank);
    all[t].moment = self.moment;
    for (uint32_t proxy = firstActor[t]; proxy < firstActor[t + 1]; ++proxy)
      if (isProxy(proxy))
        beginLaunch(proxy, rank);
  }
}

/// Forgets what the caller knows. It does not know all transfers of proxies.
void Knowledge::beginLaunch(uint32_t actor, RankId rank) {
  State &state = all[actor];
  state.full.clear();
  state.full.set(places[actor], segments[actor]);
  state.progress.switched.clear();
  state.progress.begun.reset();
  state.progress.begun.resize(plan.ranks().size());
  state.progress.begun.set(rank.index());
}

void Knowledge::learn(State &state, const Telling &telling, bool relaxed) {
  if (!relaxed)
    state.newFull.join(telling.full);
  state.newProgress.join(telling.progress);
  state.newMoments.insert(state.newMoments.end(), telling.moments.begin(), telling.moments.end());
}

void Knowledge::endSegment(uint32_t t) {
  State &state = all[t];
  state.full.join(state.newFull);
  state.full.join(state.newProgress.switched);
  state.progress.join(state.newProgress);
  if (!state.newMoments.empty() || !state.newLanes.empty()) {
    state.newMoments.push_back(state.moment);
    state.moment = graph.addMoment(state.newMoments, state.newLanes);
  }
  state.newFull.clear();
  state.newProgress.begun.reset();
  state.newProgress.switched.clear();
  state.newMoments.clear();
  state.newLanes.clear();
  advance(t);
  if (usesSwitch(t)) {
    advance(switchOf(t));
    state.progress.switched.set(places[switchOf(t)], segments[switchOf(t)]);
  }
}

void Knowledge::beginTransfer(uint32_t t, uint32_t proxy) {
  all[proxy].full.join(all[t].full);
  all[proxy].progress.join(all[t].progress);
  all[proxy].moment = graph.addMoment({all[proxy].moment, all[t].moment}, {});
}

/// Whether the last use of a counter is ordered before the current one by \p actor.
bool Knowledge::inOrder(uint32_t actor, std::optional<Last> &last) {
  bool ordered = !last || last->actor == actor || knows(actor, last->actor, last->segment);
  last = Last{actor, segment(actor)};
  return ordered;
}

void Knowledge::give(uint32_t actor, uint32_t c, bool relaxed) {
  Flow &flow = flows[c];
  if (flow.givesInOrder && !inOrder(actor, flow.lastGive)) {
    flow.givesInOrder = false;
    repeat = true;
  }
  ++flow.given;
  const State &self = all[actor];
  Telling telling{relaxed ? VectorClock() : self.full, self.progress, {self.moment}};
  if (!flow.givesInOrder) {
    flow.joined.progress.join(telling.progress);
    flow.joined.moments.push_back(self.moment);
    flow.joined.full.join(telling.full);
    return;
  }
  flow.tellings.push_back(std::move(telling));
}

void Knowledge::take(uint32_t t, uint32_t c, bool relaxed) {
  const Counters::Counter &counter = counters.all()[c];
  Flow &flow = flows[c];
  if (flow.takesInOrder && !inOrder(t, flow.lastTake)) {
    flow.takesInOrder = false;
    repeat = true;
  }
  ++flow.taken;
  size_t position = 0;
  while (counter.takers[position].first != t)
    ++position;
  uint32_t least = ++flow.takenBy[position];
  // The minimum number of signals that have been given.
  uint32_t known = flow.takesInOrder ? flow.taken : least;
  if (known <= counter.initial)
    return;
  known -= counter.initial;
  if (!flow.givesInOrder) {
    if (known == counter.given)
      learn(all[t], flow.joined, relaxed);
    return;
  }
  // Later clocks include earlier ones. Clocks that cannot be queried again are removed.
  uint32_t gone = flow.given - flow.tellings.size();
  if (known <= gone)
    return;
  const Telling &telling = flow.tellings[known - gone - 1];
  learn(all[t], telling, relaxed);
  if (flow.takesInOrder)
    flow.tellings.erase(flow.tellings.begin(), flow.tellings.begin() + (known - gone));
}

void Knowledge::passBarrier(uint32_t t, uint32_t b) {
  // All threadblocks have reached the barrier when the first one continues.
  ArrayRef<uint32_t> uses = counters.barriers()[b].threadblocks;
  uint32_t participants = 0;
  for (size_t i = 0; i < uses.size(); ++i)
    participants += i == 0 || uses[i] != uses[i - 1];
  if (passed[b]++ % participants == 0) {
    barrierTellings[b] = {};
    for (size_t i = 0; i < uses.size(); ++i) {
      if (i > 0 && uses[i] == uses[i - 1])
        continue;
      endSegment(uses[i]);
      barrierTellings[b].full.join(all[uses[i]].full);
      barrierTellings[b].progress.join(all[uses[i]].progress);
      barrierTellings[b].moments.push_back(all[uses[i]].moment);
    }
    barrierTellings[b].moments = {graph.addMoment(barrierTellings[b].moments, {})};
  }
  learn(all[t], barrierTellings[b], /*relaxed=*/false);
  endSegment(t);
}

void Knowledge::execute(uint32_t t, const Operation &op) {
  const Threadblock &tb = plan.threadblocks()[t];
  if (op.op == OpKind::Nop)
    endSegment(t);
  if (op.op == OpKind::Barrier)
    passBarrier(t, counters.barrier(tb, op));
  // The relaxed operations of port channels are the same as the others.
  bool byProxy = op.channel == ChannelKind::Port;
  for (uint32_t i = 0; i < op.ids.count; ++i) {
    if (takes(op.op)) {
      take(t, *counters.counter(tb, op, i), op.op == OpKind::RelaxedWait && !byProxy);
      continue;
    }
    if (!gives(op.op))
      continue;
    uint32_t giver = byProxy && op.idKind() == IdKind::Channels ? proxy(t, plan.ids(op)[i]) : t;
    if (giver != t)
      beginTransfer(t, giver);
    if (std::optional<uint32_t> c = counters.counter(tb, op, i))
      give(giver, *c, op.op == OpKind::RelaxedSignal && !byProxy);
    // A flush also waits for the signal.
    if (giver != t)
      endTransfer(giver);
    if (op.op == OpKind::PutSignalFlush)
      learn(all[t], {all[giver].full, all[giver].progress, {all[giver].moment}}, /*relaxed=*/false);
  }
}

} // namespace cclc::mscclpp
