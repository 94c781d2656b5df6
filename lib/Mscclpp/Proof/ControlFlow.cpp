//===- ControlFlow.cpp - Control flow of a launch by worklist -------------===//
//
// A worklist of threadblocks that may continue. A blocked threadblock is in the list of its
// counter, barrier or packet and is enqueued again when that changes; every operation runs once, so
// the run is linear in operations and wake-ups. If some threadblocks remain, the wait-for graph is
// followed from the first blocked threadblock until one repeats, and that cycle is reported.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace cclc::mscclpp {

using llvm::formatv;

static uint64_t pairKey(uint32_t counter, uint32_t threadblock) {
  return uint64_t(counter) << 32 | threadblock;
}

ControlFlow::ControlFlow(const Plan &plan, const CellMap &cells, const Counters &counters)
    : plan(plan), cells(cells), counters(counters) {}

void ControlFlow::enqueue(uint32_t threadblock) {
  if (states[threadblock].queued)
    return;
  states[threadblock].queued = true;
  ready.push_back(threadblock);
}

void ControlFlow::wake(std::vector<uint32_t> &list) {
  for (uint32_t threadblock : list)
    enqueue(threadblock);
  list.clear();
}

std::optional<ControlFlow::Blockage> ControlFlow::blockage(uint32_t t) const {
  const Threadblock &tb = plan.threadblocks()[t];
  const Operation &op = plan.ops()[states[t].next];
  if (takes(op.op)) {
    // One operation may name a counter several times.
    llvm::SmallDenseMap<uint32_t, uint32_t, 8> here;
    for (uint32_t i = 0; i < op.ids.count; ++i) {
      uint32_t c = *counters.counter(tb, op, i);
      const Counters::Counter &counter = counters.all()[c];
      uint64_t before = taken[c];
      if (contested[c])
        before = counter.taken - counters.takenBy(c, t) + takenBy.lookup(pairKey(c, t));
      if (uint64_t(counter.initial) + given[c] < before + ++here[c])
        return Blockage{Blockage::Reason::Counter, c};
    }
  }
  std::optional<Blockage> found;
  if (traits(op.op).usesPackets())
    cells.forEachSource(tb, op, 0, [&](const Span &span) {
      for (uint32_t i = 0; span.waits() && i < span.count && !found; ++i)
        if (!written[cells.cell(span) + i])
          found = Blockage{Blockage::Reason::Packet, cells.cell(span) + i};
    });
  if (op.op == OpKind::Barrier) {
    uint32_t b = counters.barrier(tb, op);
    if (arrivals[b] < states[t].arrivalsNeeded)
      return Blockage{Blockage::Reason::Barrier, b};
  }
  return found;
}

std::string ControlFlow::awaited(uint32_t t, const Blockage &blocked) const {
  switch (blocked.reason) {
  case Blockage::Reason::Counter:
    return (counters.all()[blocked.what].isSemaphore ? "a release of " : "a signal on ") +
           counters.name(blocked.what);
  case Blockage::Reason::Barrier: {
    const Counters::Barrier &barrier = counters.barriers()[blocked.what];
    return formatv("others at barrier {0} of r{1}", barrier.id, barrier.rank.index());
  }
  case Blockage::Reason::Packet:
    break;
  }
  std::string name;
  cells.forEachSource(plan.threadblocks()[t], plan.ops()[states[t].next], 0, [&](const Span &span) {
    const uint64_t first = cells.cell(span);
    if (name.empty() && span.waits() && blocked.what >= first && blocked.what < first + span.count)
      name = "a packet in " + span.name(blocked.what - first);
  });
  return name;
}

void ControlFlow::advance(uint32_t t, std::vector<Completed> &order) {
  const Threadblock &tb = plan.threadblocks()[t];
  ThreadblockState &self = states[t];
  for (; self.next < self.end; ++self.next) {
    const Operation &op = plan.ops()[self.next];
    if (op.op == OpKind::Barrier) {
      // The last threadblock to arrive releases all.
      uint32_t b = counters.barrier(tb, op);
      std::vector<uint32_t> &others = waiting[counters.all().size() + b];
      if (!self.arrivalsNeeded) {
        self.arrivalsNeeded = arrivals[b] / op.participants * op.participants + op.participants;
        if (++arrivals[b] == self.arrivalsNeeded)
          wake(others);
      }
      if (arrivals[b] < self.arrivalsNeeded) {
        others.push_back(t);
        return;
      }
      self.arrivalsNeeded = 0;
    } else if (std::optional<Blockage> blocked = blockage(t)) {
      if (blocked->reason == Blockage::Reason::Counter)
        waiting[blocked->what].push_back(t);
      else
        waitingForPacket[blocked->what].push_back(t);
      return;
    }
    order.push_back({t, self.next});
    for (uint32_t i = 0; i < op.ids.count; ++i) {
      if (takes(op.op)) {
        uint32_t c = *counters.counter(tb, op, i);
        ++taken[c];
        if (contested[c])
          ++takenBy[pairKey(c, t)];
      }
      if (!gives(op.op))
        continue;
      if (std::optional<uint32_t> c = counters.counter(tb, op, i)) {
        ++given[*c];
        wake(waiting[*c]);
      }
    }
    if (traits(op.op).usesPackets())
      cells.forEachDestination(tb, op, 0, [&](const Span &span) {
        for (uint32_t i = 0; span.packets() && i < span.count; ++i) {
          uint64_t cell = cells.cell(span) + i;
          written[cell] = true;
          if (auto it = waitingForPacket.find(cell); it != waitingForPacket.end())
            wake(it->second);
        }
      });
  }
}

FailureOr<std::vector<Completed>> ControlFlow::run(const std::vector<bool> &inNoOrder,
                                                   DiagnosticEngine &diags) {
  states.clear();
  ready.clear();
  given.assign(counters.all().size(), 0);
  taken.assign(counters.all().size(), 0);
  takenBy.clear();
  contested = inNoOrder;
  arrivals.assign(counters.barriers().size(), 0);
  written.assign(cells.space().size(), false);
  waiting.assign(counters.all().size() + counters.barriers().size(), {});
  waitingForPacket.clear();
  std::vector<Completed> order;
  order.reserve(plan.ops().size());
  for (const Threadblock &tb : plan.threadblocks())
    states.push_back({tb.ops.first, tb.ops.first + tb.ops.count});
  for (uint32_t t = 0; t < states.size(); ++t)
    enqueue(t);
  std::vector<uint32_t> batch;
  while (!ready.empty()) {
    batch.swap(ready);
    for (uint32_t t : batch) {
      states[t].queued = false;
      advance(t, order);
    }
    batch.clear();
  }
  if (order.size() < plan.ops().size())
    return reportDeadlock(diags);
  return order;
}

/// The first unfinished threadblock with an operation that would end the wait.
std::optional<uint32_t> ControlFlow::helper(const Blockage &blocked) const {
  for (uint32_t t = 0; t < states.size(); ++t) {
    const Threadblock &tb = plan.threadblocks()[t];
    if (blocked.reason == Blockage::Reason::Barrier) {
      const Counters::Barrier &barrier = counters.barriers()[blocked.what];
      if (tb.rank != barrier.rank || states[t].arrivalsNeeded)
        continue;
    }
    for (uint32_t o = states[t].next; o < states[t].end; ++o) {
      const Operation &op = plan.ops()[o];
      bool helps = false;
      if (blocked.reason == Blockage::Reason::Barrier)
        helps = op.op == OpKind::Barrier && counters.barrier(tb, op) == blocked.what;
      for (uint32_t i = 0; i < op.ids.count && gives(op.op); ++i)
        helps |= blocked.reason == Blockage::Reason::Counter &&
                 counters.counter(tb, op, i) == uint32_t(blocked.what);
      if (blocked.reason == Blockage::Reason::Packet && traits(op.op).usesPackets())
        cells.forEachDestination(tb, op, 0, [&](const Span &span) {
          uint64_t first = cells.cell(span);
          helps |= span.packets() && blocked.what >= first && blocked.what < first + span.count;
        });
      if (helps)
        return t;
    }
  }
  return std::nullopt;
}

DiagnosticEngine::InFlight ControlFlow::reportDeadlock(DiagnosticEngine &diags) const {
  for (uint32_t t = 0; t < states.size(); ++t) {
    if (states[t].next == states[t].end)
      continue;
    Blockage blocked = *blockage(t);
    if (blocked.reason == Blockage::Reason::Counter && contested[blocked.what])
      return diags.error(
          plan.locate(PlanOpId(states[t].next)),
          formatv("deadlock is not excluded: {0} is one of several threadblocks that take from {1} "
                  "in no fixed order; use a separate one for each pair of threadblocks",
                  plan.opName(PlanThreadblockId(t), PlanOpId(states[t].next)),
                  counters.name(blocked.what)));
  }
  // A blocked threadblock waits for another blocked one: follow the waits until one repeats.
  struct Wait {
    uint32_t threadblock;
    Blockage blockage;
  };
  std::vector<uint32_t> orderOf(states.size());
  std::vector<Wait> path;
  uint32_t at = 0;
  while (states[at].next == states[at].end)
    ++at;
  while (!orderOf[at]) {
    path.push_back({at, *blockage(at)});
    orderOf[at] = path.size();
    std::optional<uint32_t> other = helper(path.back().blockage);
    if (!other)
      return diags.error(plan.locate(PlanOpId(states[at].next)),
                         formatv("deadlock: {0} waits for {1}, which is never signalled",
                                 plan.opName(PlanThreadblockId(at), PlanOpId(states[at].next)),
                                 awaited(at, path.back().blockage)));
    at = *other;
  }
  path.erase(path.begin(), path.begin() + (orderOf[at] - 1));
  auto lowest = std::min_element(path.begin(), path.end(), [](const Wait &a, const Wait &b) {
    return a.threadblock < b.threadblock;
  });
  std::rotate(path.begin(), lowest, path.end());
  DiagnosticEngine::InFlight error = diags.error(
      plan.locate(PlanOpId(states[path.front().threadblock].next)),
      path.size() == 1 ? "deadlock: a threadblock waits for itself"
                       : formatv("deadlock: cyclic wait of {0} threadblocks", path.size()).str());
  constexpr size_t shown = 16;
  for (size_t i = 0; i < std::min(path.size(), shown); ++i) {
    uint32_t t = path[i].threadblock;
    error.note(
        plan.locate(PlanOpId(states[t].next)),
        formatv("{0} waits for {1}, which {2} has yet to signal",
                plan.opName(PlanThreadblockId(t), PlanOpId(states[t].next)),
                awaited(t, path[i].blockage),
                plan.threadblockName(PlanThreadblockId(path[(i + 1) % path.size()].threadblock))));
  }
  if (path.size() > shown)
    error.note({}, formatv("and {0} more", path.size() - shown));
  return error;
}

FailureOr<std::vector<Completed>> completionOrder(const Plan &plan, const Groups &groups,
                                                  DiagnosticEngine &diags) {
  CellMap cells(plan, groups);
  Counters counters(plan);
  if (failed(counters.checkBarriers(diags)))
    return failure();
  return ControlFlow(plan, cells, counters).run(std::vector<bool>(counters.all().size()), diags);
}

} // namespace cclc::mscclpp
