#include "cclc/Mscclpp/PlanBuilder.h"

#include "Structure.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::mscclpp;
using llvm::formatv;

std::string Plan::threadblockName(PlanThreadblockId threadblock) const {
  const Threadblock &tb = theThreadblocks[threadblock.index()];
  return formatv("r{0} tb{1}", tb.rank.index(),
                 threadblock.index() - rankOf(tb).threadblocks.first);
}

std::string Plan::opName(PlanThreadblockId threadblock, PlanOpId op) const {
  return formatv("{0} op {1} ({2})", threadblockName(threadblock),
                 op.index() - theThreadblocks[threadblock.index()].ops.first,
                 traits(theOps[op.index()].op).mnemonic);
}

/// Appends \p part and returns its range.
template <class T, class Part> static Range append(std::vector<T> &all, const Part &part) {
  Range range{uint32_t(all.size()), uint32_t(part.size())};
  all.insert(all.end(), part.begin(), part.end());
  return range;
}

void PlanBuilder::addRank(const RankDraft &draft) {
  Rank rank{draft.inputChunks, draft.outputChunks, draft.scratchChunks, {}, {}, {}, {}};
  rank.channels = append(plan.peers, draft.channels);
  rank.remotes = append(plan.buffers, draft.remotes);
  rank.semaphores = append(plan.initialValues, draft.semaphores);
  rank.threadblocks = {uint32_t(plan.theThreadblocks.size()), uint32_t(draft.threadblocks.size())};
  for (const ThreadblockDraft &from : draft.threadblocks) {
    Threadblock tb{RankId(plan.theRanks.size()), {}, {}, {}};
    tb.channels = append(plan.references, from.channels);
    tb.remotes = append(plan.references, from.remotes);
    tb.ops = {uint32_t(plan.theOps.size()), uint32_t(from.ops.size())};
    for (const ThreadblockDraft::Op &op : from.ops)
      plan.theOps.push_back({op.op, op.loc, append(plan.places, op.src),
                             append(plan.places, op.dst), append(plan.numbers, op.ids),
                             op.participants});
    plan.theThreadblocks.push_back(tb);
  }
  plan.theRanks.push_back(rank);
}

FailureOr<Plan> PlanBuilder::finish(DiagnosticEngine &diags) && {
  if (failed(verifyStructure(plan, diags)))
    return failure();
  return std::move(plan);
}
