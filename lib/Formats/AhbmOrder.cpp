//===- AhbmOrder.cpp - The order of the steps in a kernel -----------------===//
//
// A PE runs one kernel, so the steps of all threadblocks of a rank become one sequence.
//
//===----------------------------------------------------------------------===//

#include "AhbmStreams.h"

#include "cclc/Formats/AhbmModule.h"
#include "cclc/IR/StepNames.h"
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
  std::vector<Step> steps = plan.steps().vec();
  for (Step &step : steps) {
    step.publishes = false;
    step.setWait(std::nullopt);
  }
  const ConnectionTable connections(plan);
  std::vector<std::optional<StepId>> last(plan.ranks());
  for (StepId id : kernelOrder(plan, connections, kernelSlots(plan, connections))) {
    const uint32_t tb = threadblockOf(plan, id).index();
    const std::optional<StepId> before =
        std::exchange(last[plan.threadblocks()[tb].rank.index()], id);
    const uint32_t other = before ? threadblockOf(plan, *before).index() : tb;
    if (other == tb)
      continue;
    steps[before->index()].publishes = true;
    steps[id.index()].setWait(Wait{
        plan.localId(other), StepIndex(before->index() - plan.threadblocks()[other].firstStep)});
  }
  ExecPlanBuilder builder(plan.info());
  builder.reserveSteps(steps.size());
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    builder.setScratch(RankId(r), plan.scratchChunks()[r]);
  for (const Threadblock &tb : plan.threadblocks()) {
    builder.beginThreadblock(tb.rank, plan.sendPeers(tb), plan.recvPeers(tb), tb.channel);
    for (const Step &step : ArrayRef(steps).slice(tb.firstStep, tb.numSteps))
      builder.addStep(step);
  }
  return std::move(builder).finish(diags);
}
