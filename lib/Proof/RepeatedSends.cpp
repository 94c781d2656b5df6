//===- RepeatedSends.cpp - Equal provenance, then breadth first -----------===//
//
// Two sends of a threadblock, which has one connection or one group of them, repeat each other if
// all of their chunks have the same provenance: no reduction or message has changed the data in
// between. The nearest one is found by a breadth-first search backwards through the order of
// threadblocks, messages and waits. Only plans with an error are searched.
//
//===----------------------------------------------------------------------===//

#include "RepeatedSends.h"

#include "cclc/IR/StepNames.h"
#include "cclc/Proof/Provenance.h"

#include <deque>
#include <map>

using namespace cclc;

/// By step: the first send of its threadblock with the same data; none for the first itself.
static std::vector<OptionalId<StepId>> repeatedSends(const ExecPlan &plan,
                                                     const Provenance &provenance) {
  std::vector<OptionalId<StepId>> repeats(plan.steps().size());
  for (const Threadblock &tb : plan.threadblocks()) {
    std::map<std::vector<ProvenanceId>, StepId> seen;
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
      const Step &step = plan.steps()[s];
      const OpTraits &op = traits(step.op);
      if (!op.sends || step.count == 0)
        continue;
      std::vector<ProvenanceId> sent;
      for (uint32_t c = 0; c < step.count; ++c) {
        ProvenanceId action = provenance.action(StepId(s), c);
        // What a fused step sends is the result of its action.
        sent.push_back(op.receives || op.readsDst ? action : provenance.operands(action).lhs);
      }
      auto [first, isNew] = seen.try_emplace(std::move(sent), StepId(s));
      if (!isNew)
        repeats[s] = first->second;
    }
  }
  return repeats;
}

std::optional<RepeatedSend> cclc::findRepeatedSend(const ExecPlan &plan,
                                                   const ConnectionTable &connections,
                                                   Placement placement, ArrayRef<StepId> steps) {
  std::optional<Provenance> provenance = Provenance::traceIfSmall(plan, placement);
  if (!provenance)
    return std::nullopt;
  std::vector<OptionalId<StepId>> repeats = repeatedSends(plan, *provenance);
  if (llvm::none_of(repeats, [](OptionalId<StepId> repeat) { return bool(repeat); }))
    return std::nullopt;

  std::vector<SmallVector<StepId, 2>> before(plan.steps().size());
  for (const Connection &connection : connections.connections())
    forEachMessage(plan, connection, [&](uint32_t send, uint32_t receive) {
      before[receive].push_back(StepId(send));
    });
  std::vector<OptionalId<StepId>> publishers = findPublishers(plan);
  for (const Threadblock &tb : plan.threadblocks())
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
      if (s > tb.firstStep)
        before[s].push_back(StepId(s - 1));
      if (std::optional<Wait> wait = plan.steps()[s].wait())
        before[s].push_back(waitTarget(plan, publishers, tb.rank, *wait));
    }
  std::vector<bool> reached(plan.steps().size());
  std::deque<StepId> open;
  auto reach = [&](StepId step) {
    if (!reached[step.index()])
      open.push_back(step);
    reached[step.index()] = true;
  };
  llvm::for_each(steps, reach);
  for (; !open.empty(); open.pop_front()) {
    StepId step = open.front();
    if (repeats[step.index()])
      return RepeatedSend{*repeats[step.index()], step};
    llvm::for_each(before[step.index()], reach);
  }
  return std::nullopt;
}
