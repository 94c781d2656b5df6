//===- Provenance.cpp - Recording the operands of every action ------------===//
//
// Nodes have consecutive ids: one for undefined values, one for each initial chunk, then those
// of the steps, by prefix sums of their counts. The id of a node therefore gives its step by
// binary search, and a message is recorded as the number of the step that sent it. The plan is
// run once, with unlimited slots.
//
//===----------------------------------------------------------------------===//

#include "cclc/Semantics/Provenance.h"

#include "cclc/Semantics/PlanRunner.h"
#include "cclc/Semantics/PostCondition.h"
#include "cclc/Support/MemoryBudget.h"

#include <algorithm>

using namespace cclc;

Provenance::Provenance(const ExecPlan &plan, Placement placement)
    : space(plan.cells(placement)), inputChunks(plan.info().collective.inputChunks()),
      firstAction(1 + plan.ranks() * inputChunks), cells(space.size(), undefined()) {
  firstOfStep.reserve(plan.steps().size() + 1);
  uint32_t total = 0;
  for (const Step &step : plan.steps()) {
    firstOfStep.push_back(total);
    total += step.count;
  }
  firstOfStep.push_back(total);
  actions.resize(total);
  const Collective &collective = plan.info().collective;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    if (collective.hasInput(RankId(r)))
      for (uint32_t c = 0; c < inputChunks; ++c)
        cells[space.cell(RankId(r), Operand(Buffer::Input, c))] =
            ProvenanceId(1 + r * inputChunks + c);
}

std::optional<Provenance> Provenance::trace(const ExecPlan &plan, Placement placement) {
  MemoryBudget::Work work("the provenance of the plan");
  Provenance result(plan, placement);
  ConnectionTable connections(plan);
  PlanRunner runner(plan, connections);
  // A message is identified by the step that sent it, since the nodes of a step are consecutive.
  struct Fifo {
    std::vector<StepId> sent;
    size_t taken = 0;
  };
  std::vector<Fifo> fifos(connections.size());
  bool completes = runner.run(Slots::unlimited(), [&](PlanThreadblockId threadblock, StepId id) {
    const Step &step = plan.steps()[id.index()];
    const OpTraits &op = traits(step.op);
    RankId rank = plan.threadblocks()[threadblock.index()].rank;
    ProvenanceId *src = op.readsSrc ? &result.cells[result.space.cell(rank, step.src)] : nullptr;
    ProvenanceId *dst =
        op.readsDst || op.writesDst ? &result.cells[result.space.cell(rank, step.dst)] : nullptr;
    std::optional<StepId> sender;
    if (op.receives) {
      Fifo &fifo = fifos[(*connections.recvOf(threadblock.index())).index()];
      sender = fifo.sent[fifo.taken++];
    }
    if (op.sends)
      fifos[(*connections.sendOf(threadblock.index())).index()].sent.push_back(id);
    for (uint32_t c = 0; c < step.count; ++c) {
      Operands &taken = result.actions[result.firstOfStep[id.index()] + c];
      if (sender) {
        ProvenanceId message = result.action(*sender, c);
        taken = src ? Operands{src[c], message} : Operands{message, {}};
      } else if (op.readsDst) {
        taken = {dst[c], src[c]};
      } else if (src) {
        taken = {src[c], {}};
      }
      if (op.writesDst)
        dst[c] = result.action(id, c);
    }
  });
  if (!completes)
    return std::nullopt;
  return result;
}

Provenance::Place Provenance::place(ProvenanceId action) const {
  uint32_t number = action.index() - firstAction;
  // Steps without chunks have the same first node as the next step; the last step with this node is
  // the one with chunks.
  auto next = std::upper_bound(firstOfStep.begin(), firstOfStep.end(), number);
  uint32_t step = uint32_t(next - firstOfStep.begin()) - 1;
  return {StepId(step), number - firstOfStep[step]};
}
