#include "cclc/Sim/ShownPlan.h"

using namespace cclc;

std::vector<uint32_t> ShownPlan::scratchChunks() const {
  if (exec)
    return exec->scratchChunks();
  std::vector<uint32_t> chunks;
  for (const mscclpp::Rank &rank : mscclpp->ranks())
    chunks.push_back(rank.scratchChunks);
  return chunks;
}

Threadblock ShownPlan::threadblock(uint32_t number) const {
  if (exec)
    return exec->threadblocks()[number];
  const mscclpp::Threadblock &tb = mscclpp->threadblocks()[number];
  return {tb.rank, {}, {}, ChannelId(0), tb.ops.first, tb.ops.count};
}

ThreadblockId ShownPlan::localId(uint32_t threadblock) const {
  if (exec)
    return exec->localId(threadblock);
  const mscclpp::Threadblock &tb = mscclpp->threadblocks()[threadblock];
  return ThreadblockId(threadblock - mscclpp->rankOf(tb).threadblocks.first);
}

Step ShownPlan::step(uint32_t number) const {
  if (exec)
    return exec->steps()[number];
  const mscclpp::Operation &op = mscclpp->ops()[number];
  Step step(OpKind::Nop, Operand(), Operand(), 1, op.loc, op.loc);
  step.phase = mscclpp->phase(op);
  return step;
}
