//===- RolledRun.cpp - Execution and post-condition -----------------------===//
//
// All ranks, of the folded plan and of the whole plan, execute the same steps on the same relative
// values. A message is seen from its receiver, whose distance is known to the sender. Rank 0 stands
// for all ranks, since plan and post-condition are symmetric, and its relative indices are its
// indices.
//
//===----------------------------------------------------------------------===//

#include "RolledRun.h"

#include "cclc/IR/StepNames.h"
#include "cclc/Proof/PlanExecution.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

RolledRun::RolledRun(const RolledPlan &rolled, const ExecPlan &folded,
                     const ConnectionTable &connections, PlanControlFlow &runner,
                     Placement placement)
    : rolled(rolled), group(rolled.group), folded(folded), connections(connections),
      cells(folded.cells(placement)), memory(cells.size()), messages(connections.size()) {
  const Collective &collective = rolled.info.collective;
  for (uint32_t r = 0; r < folded.ranks(); ++r)
    for (uint32_t c = 0; c < collective.inputChunks(); ++c)
      memory[cells.cell(RankId(r), Operand(Buffer::Input, c))] = RelativeValue::input(group, c);
  runner.run(Slots::unlimited(),
             [&](PlanThreadblockId tb, StepId step) { execute(tb.index(), step); });
}

void RolledRun::execute(uint32_t threadblock, StepId id) {
  const Step &step = folded.steps()[id.index()];
  if (!inputWriter && writesReadOnlyInput(step, cells.placement()))
    inputWriter = id;
  const OpTraits &op = traits(step.op);
  uint32_t local = folded.localId(threadblock).index();
  for (uint32_t c = 0; c < step.count && step.op != OpKind::Nop; ++c) {
    RelativeValue value;
    if (op.receives) {
      std::deque<RelativeValue> &queue = messages[(*connections.recvOf(threadblock)).index()];
      value = std::move(queue.front());
      queue.pop_front();
      if (op.readsSrc)
        value = value.plus(group, memory[cell(threadblock, step.src.offsetBy(c))]);
    } else {
      value = memory[cell(threadblock, step.src.offsetBy(c))];
      if (op.readsDst)
        value = memory[cell(threadblock, step.dst.offsetBy(c))].plus(group, value);
    }
    if (op.sends)
      messages[(*connections.sendOf(threadblock)).index()].push_back(
          value.movedBy(group, *rolled.threadblocks[local].send));
    if (op.writesDst)
      memory[cell(threadblock, step.dst.offsetBy(c))] = std::move(value);
  }
}

LogicalResult RolledRun::checkPostCondition(DiagnosticEngine &diags) const {
  if (inputWriter)
    return diags.error(stepLocation(folded, *inputWriter),
                       "wrong result on every rank: " + readOnlyInputText(folded, *inputWriter));
  const Collective &collective = rolled.info.collective;
  for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
    const RelativeValue &value = memory[cells.cell(RankId(0), Operand(Buffer::Output, c))];
    Expectation expected = collective.expected(RankId(0), c);
    std::string wrong =
        expected.kind == Expectation::Kind::Sum
            ? value.differenceFromSum(group, expected.index)
            : value.differenceFromChunk(
                  group, group.elementOf(expected.rank.index()),
                  group.relativeIndex(Buffer::Input, expected.index, group.identity()));
    if (!wrong.empty())
      return diags.error({}, formatv("wrong result on every rank: r0:o[{0}] {1}", c, wrong));
  }
  return success();
}
