//===- AhbmOrder.cpp - The order of the steps in a kernel -----------------===//
//
// A PE runs one kernel, so the steps of all threadblocks of a rank become one sequence.
//
//===----------------------------------------------------------------------===//

#include "AhbmStreams.h"

#include "cclc/Formats/AhbmModule.h"
#include "cclc/Proof/Deadlock.h"
#include "cclc/Proof/PlanControlFlow.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::kernbench;

/// The steps in the order of the longest paths to them in the happens-before graph with \p slots
/// slots; steps with equal paths in the order of the plan. The steps of each rank in this order
/// complete with these slots: an edge that the order adds leads to an equal or a longer path, and
/// an edge of the graph to a longer one, so that there is no cycle.
std::vector<StepId> kernbench::kernelOrder(const ExecPlan &plan, const ConnectionTable &connections,
                                           Slots slots) {
  /// The path lengths of the steps that have sent and received the messages so far.
  struct Fifo {
    std::vector<uint32_t> sends, receives;
  };
  std::vector<Fifo> fifos(connections.size());
  std::vector<uint32_t> lengths(plan.steps().size());
  PlanControlFlow runner(plan, connections);
  runner.run(slots, [&](PlanThreadblockId tb, StepId id) {
    const Step &step = plan.steps()[id.index()];
    uint32_t before = 0;
    auto follows = [&](uint32_t length) { before = std::max(before, length + 1); };
    if (id.index() > plan.threadblocks()[tb.index()].firstStep)
      follows(lengths[id.index() - 1]);
    if (step.waits())
      follows(lengths[runner.waitTarget(tb, id)->index()]);
    Fifo *in =
        traits(step.op).receives ? &fifos[(*connections.recvOf(tb.index())).index()] : nullptr;
    Fifo *out = traits(step.op).sends ? &fifos[(*connections.sendOf(tb.index())).index()] : nullptr;
    if (in)
      follows(in->sends[in->receives.size()]);
    if (out && !slots.admits(out->sends.size()))
      follows(out->receives[out->sends.size() - slots.limit()]);
    lengths[id.index()] = before;
    if (in)
      in->receives.push_back(before);
    if (out)
      out->sends.push_back(before);
  });
  std::vector<StepId> order;
  for (uint32_t s = 0; s < plan.steps().size(); ++s)
    order.push_back(StepId(s));
  llvm::sort(order, [&](StepId a, StepId b) {
    return std::pair(lengths[a.index()], a) < std::pair(lengths[b.index()], b);
  });
  return order;
}

Slots kernbench::kernelSlots(const ExecPlan &plan, const ConnectionTable &connections) {
  Slots slots = plan.slots().value_or(defaultSlots);
  if (!slots.isUnlimited())
    return slots;
  PlanControlFlow runner(plan, connections);
  return Slots(slotsNeeded(runner).value_or(1));
}

FailureOr<ExecPlan> kernbench::performedPlan(const ExecPlan &plan, DiagnosticEngine &diags) {
  ConnectionTable connections(plan);
  std::vector<std::optional<StepId>> before(plan.steps().size()), last(plan.ranks());
  std::vector<uint32_t> tbOf(plan.steps().size());
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
    for (uint32_t s = 0; s < plan.threadblocks()[t].numSteps; ++s)
      tbOf[plan.threadblocks()[t].firstStep + s] = t;
  for (StepId id : kernelOrder(plan, connections, kernelSlots(plan, connections))) {
    std::optional<StepId> &previous = last[plan.threadblocks()[tbOf[id.index()]].rank.index()];
    before[id.index()] = previous;
    previous = id;
  }
  std::vector<bool> publishes(plan.steps().size());
  for (uint32_t s = 0; s < plan.steps().size(); ++s)
    if (before[s] && tbOf[before[s]->index()] != tbOf[s])
      publishes[before[s]->index()] = true;
  ExecPlanBuilder builder(plan.info());
  builder.reserveSteps(plan.steps().size());
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    builder.setScratch(RankId(r), plan.scratchChunks()[r]);
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
    const Threadblock &tb = plan.threadblocks()[t];
    builder.beginThreadblock(tb.rank, plan.sendPeers(tb), plan.recvPeers(tb), tb.channel);
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
      Step &step = builder.addStep(plan.steps()[s]);
      step.publishes = publishes[s];
      step.setWait(std::nullopt);
      if (before[s] && tbOf[before[s]->index()] != t) {
        const uint32_t other = tbOf[before[s]->index()];
        step.setWait(Wait{plan.localId(other),
                          StepIndex(before[s]->index() - plan.threadblocks()[other].firstStep)});
      }
    }
  }
  return std::move(builder).finish(diags);
}
