//===- Plan.cpp - Names and construction of MSCCL++ plans -----------------===//
//
// A builder appends the tables of each rank to common arrays; finish() checks their structure.
//
//===----------------------------------------------------------------------===//

#include "cclc/Mscclpp/PlanBuilder.h"

#include "Structure.h"

#include "cclc/Support/Watch.h"

#include "llvm/Support/FormatVariadic.h"

namespace cclc::mscclpp {

using llvm::formatv;

ProgramInfo programInfoOf(const Header &header) {
  ProgramInfo info(header.collective);
  info.name = header.name;
  info.placements = header.inPlace ? Placements::inPlace() : Placements::outOfPlace();
  info.protocol = header.protocol;
  info.minBytes = header.minBytes;
  info.maxBytes = header.maxBytes;
  info.locs = header.locs;
  return info;
}

std::string Plan::threadblockName(PlanThreadblockId threadblock) const {
  const Threadblock &tb = theThreadblocks[threadblock.index()];
  return formatv("r{0} tb{1}", tb.rank.index(),
                 threadblock.index() - rankOf(tb).threadblocks.first);
}

std::string Plan::opName(PlanThreadblockId threadblock, PlanOpId op) const {
  return formatv("{0} op {1} ({2})", threadblockName(threadblock), theOps[op.index()].number,
                 traits(theOps[op.index()].op).mnemonic);
}

RankDraft draftOf(const Plan &plan, const Rank &rank) {
  RankDraft draft;
  draft.inputChunks = rank.inputChunks;
  draft.outputChunks = rank.outputChunks;
  draft.scratchChunks = rank.scratchChunks;
  for (ChannelKind kind : {ChannelKind::Memory, ChannelKind::Port})
    draft.channels[size_t(kind)] = plan.channels(rank, kind);
  for (const SwitchChannel &channel : plan.switches(rank))
    draft.switches.push_back({channel.buffer, plan.members(channel)});
  draft.remotes = plan.remotes(rank);
  draft.semaphores = plan.semaphores(rank);
  return draft;
}

ThreadblockDraft draftOf(const Plan &plan, const Threadblock &threadblock) {
  ThreadblockDraft draft;
  for (ChannelKind kind : {ChannelKind::Memory, ChannelKind::Port}) {
    draft.channels[size_t(kind)] = plan.channels(threadblock, kind);
    draft.remotes[size_t(kind)] = plan.remotes(threadblock, kind);
  }
  draft.switches = plan.switches(threadblock);
  return draft;
}

/// Appends \p part and returns its range.
template <class T, class Part> static Range append(std::vector<T> &all, const Part &part) {
  Range range{uint32_t(all.size()), uint32_t(part.size())};
  all.insert(all.end(), part.begin(), part.end());
  return range;
}

void PlanBuilder::addRank(const RankDraft &draft) {
  Watch::look();
  Rank rank{draft.inputChunks, draft.outputChunks, draft.scratchChunks, {}, {}, {}, {}, {}};
  for (size_t kind = 0; kind < rank.channels.size(); ++kind)
    rank.channels[kind] = append(plan.peers, draft.channels[kind]);
  std::vector<SwitchChannel> switches;
  for (const RankDraft::Switch &from : draft.switches)
    switches.push_back({from.buffer, append(plan.peers, from.members)});
  rank.switches = append(plan.switchChannels, switches);
  rank.remotes = append(plan.buffers, draft.remotes);
  rank.semaphores = append(plan.initialValues, draft.semaphores);
  rank.threadblocks = {uint32_t(plan.theThreadblocks.size()), uint32_t(draft.threadblocks.size())};
  for (const ThreadblockDraft &from : draft.threadblocks) {
    Threadblock tb{RankId(plan.theRanks.size()), {}, {}, {}, {}};
    for (size_t kind = 0; kind < tb.channels.size(); ++kind) {
      tb.channels[kind] = append(plan.references, from.channels[kind]);
      tb.remotes[kind] = append(plan.references, from.remotes[kind]);
    }
    tb.switches = append(plan.references, from.switches);
    tb.ops = {uint32_t(plan.theOps.size()), uint32_t(from.ops.size())};
    for (uint32_t i = 0; i < from.ops.size(); ++i) {
      const ThreadblockDraft::Op &op = from.ops[i];
      plan.theOps.push_back({op.op, op.loc, append(plan.places, op.src),
                             append(plan.places, op.dst), append(plan.numbers, op.ids),
                             op.participants, op.channel, op.number.value_or(i), op.share,
                             op.pieces});
    }
    plan.theThreadblocks.push_back(tb);
  }
  plan.theRanks.push_back(rank);
}

FailureOr<Plan> PlanBuilder::finish(DiagnosticEngine &diags) && {
  if (failed(verifyStructure(plan, diags)))
    return failure();
  for (const Operation &op : plan.theOps)
    if (plan.phases.try_emplace(op.op, plan.theInfo.phases.size()).second)
      plan.theInfo.phases.push_back({traits(op.op).mnemonic});
  return std::move(plan);
}

} // namespace cclc::mscclpp
