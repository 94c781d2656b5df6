//===- PlanRunnerLoop.h - The loop of a PlanControlFlow ---------*- C++ -*-===//
//
// The parts of PlanControlFlow that call visitors; PlanControlFlow.h includes them. Threadblocks
// that may be able to continue are advanced in batches. A run whose order is known is repeated
// without the state of threadblocks and messages.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_PLANRUNNERLOOP_H
#define CCL_PROOF_PLANRUNNERLOOP_H

#include "cclc/Proof/PlanControlFlow.h"
#include "cclc/Support/Prefetch.h"
#include "cclc/Support/Watch.h"

namespace cclc {

template <class Visit>
void PlanControlFlow::advance(uint32_t threadblock, Slots slots, Visit &visit) {
  ThreadblockState &self = states[threadblock];
  for (; self.next < self.end; ++self.next) {
    const Step &step = plan.steps()[self.next];
    prefetchAhead(step);
    const OpTraits &op = traits(step.op);
    if (step.waits() && self.transmissions == 0 && !awaitStep(threadblock))
      return;
    uint32_t transmissions = op.communicates() && step.count > chunksPerTransmission
                                 ? ceilDiv(step.count, chunksPerTransmission)
                                 : 1;
    for (; self.transmissions < transmissions; ++self.transmissions) {
      // The first connection without a message (slot) wakes the threadblock.
      if (op.receives)
        for (ConnectionId c : self.recvs)
          if (!counts(c).awaitMessage())
            return;
      if (op.sends)
        for (ConnectionId c : self.sends)
          if (!counts(c).awaitSlot(slots))
            return;
      if (self.transmissions == 0)
        visit(PlanThreadblockId(threadblock), StepId(self.next));
      if (op.receives)
        for (ConnectionId c : self.recvs)
          if (counts(c).receive())
            enqueue(connections.connections()[c.index()].senderTb);
      if (op.sends)
        for (ConnectionId c : self.sends)
          if (counts(c).send())
            enqueue(connections.connections()[c.index()].receiverTb);
    }
    self.transmissions = 0;
    // The waiters read `next`, which is advanced before any of them runs.
    if (step.publishes)
      while (self.waiters) {
        uint32_t woken = *self.waiters;
        self.waiters = std::exchange(states[woken].link, OptionalIndex());
        enqueue(woken);
      }
  }
}

/// Advances threadblocks until all are complete or blocked.
template <class Visit> void PlanControlFlow::advanceAll(Slots slots, Visit &visit) {
  std::vector<uint32_t> batch;
  while (!ready.empty()) {
    batch.swap(ready);
    for (uint32_t threadblock : batch) {
      Watch::look();
      states[threadblock].queued = false;
      advance(threadblock, slots, visit);
    }
    batch.clear();
  }
}

template <class Visit> void PlanControlFlow::replay(Visit &visit) const {
  std::vector<uint32_t> next;
  next.reserve(plan.threadblocks().size());
  for (const Threadblock &tb : plan.threadblocks())
    next.push_back(tb.firstStep);
  for (auto [threadblock, end] : order) {
    Watch::look();
    for (uint32_t &step = next[threadblock]; step < end; ++step) {
      prefetchAhead(plan.steps()[step]);
      visit(PlanThreadblockId(threadblock), StepId(step));
    }
  }
}

template <class Visit> bool PlanControlFlow::run(Slots slots, Visit &&visit) {
  if (slots.isUnlimited() && hasOrder()) {
    replay(visit);
    return true;
  }
  reset();
  advanceAll(slots, visit);
  return isComplete();
}

template <class Visit> std::optional<uint32_t> PlanControlFlow::runWithLeastSlots(Visit &&visit) {
  forgetOrder();
  reset();
  bool keepsOrder = chunksPerTransmission == ~uint32_t(0); // steps complete when they are visited
  constexpr size_t manyStretches = size_t(1) << 16;
  std::vector<Stretch> visited;
  size_t numVisited = 0;
  auto visitAndKeep = [&](PlanThreadblockId threadblock, StepId step) {
    visit(threadblock, step);
    if (!keepsOrder)
      return;
    ++numVisited;
    uint32_t end = step.index() + 1;
    if (!visited.empty() && visited.back().threadblock == threadblock.index()) {
      visited.back().end = end;
      return;
    }
    visited.push_back({threadblock.index(), end});
    // A long order of single steps takes as much time to store as to find again.
    if (visited.size() == manyStretches && numVisited < manyStretches + manyStretches / 8) {
      keepsOrder = false;
      visited = std::vector<Stretch>();
    }
  };
  for (uint32_t slots = 1;; ++slots) {
    advanceAll(Slots(slots), visitAndKeep);
    if (isComplete()) {
      order = std::move(visited);
      if (hasOrder()) { // runs that follow need neither
        states = std::vector<ThreadblockState>();
        messages = std::vector<MessageCounts>();
      }
      return slots;
    }
    bool any = false;
    for (uint32_t c = 0; c < connections.size(); ++c)
      if (messages[c].stopAwaitingSlot()) {
        enqueue(connections.connections()[c].senderTb);
        any = true;
      }
    if (!any)
      return std::nullopt;
  }
}

} // namespace cclc

#endif // CCL_PROOF_PLANRUNNERLOOP_H
