//===- PlanControlFlow.cpp - State of a run and reasons of blockages ------===//
//
// The loop (PlanRunnerLoop.h) is Kahn's topological sort (CACM 5(11),
// 1962) on threadblocks, with counts of messages in place of in-degrees; a blocked threadblock
// is queued again by the event that it waits for. A run with c slots is a prefix of one with c + 1,
// so the least number of slots takes one run: whenever all threadblocks are blocked, those without
// a slot continue with one more. blockage() tests the conditions of a step in
// the same order as advance() and returns the first that does not hold.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/PlanControlFlow.h"

using namespace cclc;

PlanControlFlow::PlanControlFlow(const ExecPlan &plan, const ConnectionTable &connections)
    : plan(plan), connections(connections) {
  if (plan.hasWaits())
    publishers = findPublishers(plan);
}

void PlanControlFlow::reset() {
  states.clear();
  states.reserve(plan.threadblocks().size());
  ready.clear();
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
    const Threadblock &tb = plan.threadblocks()[t];
    ThreadblockState thread{tb.firstStep, tb.firstStep + tb.numSteps, connections.sendsOf(t),
                            connections.recvsOf(t)};
    states.push_back(thread);
    enqueue(t);
  }
  messages.assign(connections.size(), {});
}

bool PlanControlFlow::isComplete() const {
  for (const ThreadblockState &thread : states)
    if (thread.next < thread.end)
      return false;
  return true;
}

bool PlanControlFlow::awaitStep(uint32_t threadblock) {
  ThreadblockState &self = states[threadblock];
  StepId target = *waitTarget(PlanThreadblockId(threadblock), StepId(self.next));
  uint32_t owner = plan.firstThreadblock(plan.threadblocks()[threadblock].rank) +
                   plan.steps()[self.next].wait()->tb.index();
  ThreadblockState &other = states[owner];
  if (other.next > target.index())
    return true;
  if (owner != threadblock) {
    self.link = other.waiters;
    other.waiters = threadblock;
  }
  return false;
}

std::optional<StepId> PlanControlFlow::waitTarget(PlanThreadblockId threadblock,
                                                  StepId step) const {
  std::optional<Wait> wait = plan.steps()[step.index()].wait();
  if (!wait)
    return std::nullopt;
  return cclc::waitTarget(plan, publishers, plan.threadblocks()[threadblock.index()].rank, *wait);
}

std::optional<PlanControlFlow::Blockage> PlanControlFlow::blockage(PlanThreadblockId threadblock,
                                                                   Slots slots) const {
  const ThreadblockState &self = states[threadblock.index()];
  if (self.next >= self.end)
    return std::nullopt;
  StepId next(self.next);
  const Step &step = plan.steps()[self.next];
  if (std::optional<Wait> wait = step.wait(); wait && self.transmissions == 0) {
    StepId target = *waitTarget(threadblock, next);
    uint32_t owner =
        plan.firstThreadblock(plan.threadblocks()[threadblock.index()].rank) + wait->tb.index();
    if (states[owner].next <= target.index())
      return Blockage{Blockage::Reason::Dependence, next, PlanThreadblockId(owner), 0, target};
  }
  if (traits(step.op).receives)
    for (ConnectionId connection : self.recvs)
      if (const MessageCounts &counts = messages[connection.index()]; !counts.hasMessage())
        return Blockage{Blockage::Reason::Message, next,
                        PlanThreadblockId(connections.connections()[connection.index()].senderTb),
                        counts.received(), std::nullopt};
  for (ConnectionId connection : self.sends)
    if (const MessageCounts &counts = messages[connection.index()]; !counts.hasSlot(slots))
      return Blockage{Blockage::Reason::Slot, next,
                      PlanThreadblockId(connections.connections()[connection.index()].receiverTb),
                      counts.sent(), std::nullopt};
  llvm_unreachable("an unblocked threadblock was left");
}
