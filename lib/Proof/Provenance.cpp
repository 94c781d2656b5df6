//===- Provenance.cpp - Recording the operands of every action ------------===//
//
// Nodes have consecutive ids: one for undefined values, one for each initial chunk, then those
// of the steps, by prefix sums of their numbers. The id of a node therefore gives its step by
// binary search, and a message is recorded as the number of the step that sent it. A step in which
// a switch adds n values has n - 1 nodes for each chunk: first the results of all chunks, then the
// partial sums. The plan is run once, with unlimited slots.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/Provenance.h"

#include "cclc/Proof/PlanControlFlow.h"
#include "cclc/Proof/PostCondition.h"
#include "cclc/Support/MemoryBudget.h"

#include <algorithm>

using namespace cclc;

Provenance::Provenance(const ExecPlan &plan, Placement placement)
    : space(plan.cells(placement)), inputChunks(plan.info().collective.inputChunks()),
      firstAction(1 + plan.ranks() * inputChunks), cells(space.size(), undefined()) {
  firstOfStep.reserve(plan.steps().size() + 1);
  uint32_t total = 0;
  for (const Threadblock &tb : plan.threadblocks())
    for (const Step &step : plan.steps(tb)) {
      firstOfStep.push_back(total);
      counts.push_back(step.count);
      const OpTraits &op = traits(step.op);
      bool adds = op.receives && tb.reducesInSwitch();
      total += step.count * (adds ? tb.recvGroup.count + op.readsSrc - 1 : 1);
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
  PlanControlFlow runner(plan, connections);
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
    SmallVector<StepId, 8> senders;
    if (op.receives)
      for (ConnectionId connection : connections.recvsOf(threadblock.index())) {
        Fifo &fifo = fifos[connection.index()];
        senders.push_back(fifo.sent[fifo.taken++]);
      }
    if (op.sends)
      for (ConnectionId connection : connections.sendsOf(threadblock.index()))
        fifos[connection.index()].sent.push_back(id);
    for (uint32_t c = 0; c < step.count; ++c) {
      Operands &taken = result.actions[result.firstOfStep[id.index()] + c];
      if (senders.size() > 1) {
        SmallVector<ProvenanceId, 8> addends;
        for (StepId sender : senders)
          addends.push_back(result.action(sender, c));
        if (src)
          addends.push_back(src[c]);
        result.add(id, c, addends);
      } else if (op.receives) {
        ProvenanceId message = result.action(senders.front(), c);
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

std::optional<Provenance> Provenance::traceIfSmall(const ExecPlan &plan, Placement placement) {
  constexpr uint64_t most = 1 << 24;
  uint64_t actions = 0;
  for (const Threadblock &tb : plan.threadblocks())
    for (const Step &step : plan.steps(tb))
      actions += uint64_t(step.count) * std::max<uint64_t>(1, tb.recvGroup.count);
  return actions > most ? std::nullopt : trace(plan, placement);
}

/// Records the sum of several values for chunk \p chunk of \p step, with its partial sums.
void Provenance::add(StepId step, uint32_t chunk, ArrayRef<ProvenanceId> addends) {
  uint32_t count = counts[step.index()];
  ProvenanceId sum = addends.front();
  for (uint32_t i = 1; i < addends.size(); ++i) {
    uint32_t partial = i + 1 == addends.size() ? 0 : i;
    ProvenanceId next(firstAction + firstOfStep[step.index()] + partial * count + chunk);
    actions[next.index() - firstAction] = {sum, addends[i]};
    sum = next;
  }
}

Provenance::Place Provenance::place(ProvenanceId action) const {
  uint32_t number = action.index() - firstAction;
  // Steps without chunks have the same first node as the next step; the last step with this node is
  // the one with chunks.
  auto next = std::upper_bound(firstOfStep.begin(), firstOfStep.end(), number);
  uint32_t step = uint32_t(next - firstOfStep.begin()) - 1;
  return {StepId(step), (number - firstOfStep[step]) % counts[step]};
}
