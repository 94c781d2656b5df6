//===- ExecPlan.cpp - Building plans --------------------------------------===//
//
// Ranks, threadblocks and steps are appended to their tables in order. Threadblocks with several
// peers, which are rare, have ranges of a separate table, so that the others remain small.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/ExecPlan.h"

#include "cclc/IR/Verifier.h"
#include "cclc/Support/Watch.h"

#include <numeric>

using namespace cclc;

ArrayRef<Step> ExecPlan::steps(RankId rank) const {
  ArrayRef<Threadblock> tbs = threadblocks(rank);
  if (tbs.empty())
    return {};
  return steps().slice(tbs.front().firstStep,
                       tbs.back().firstStep + tbs.back().numSteps - tbs.front().firstStep);
}

void ExecPlan::shiftEndpoints(uint32_t count) {
  std::vector<uint32_t> &endpoints = theInfo.placementOnTarget;
  if (endpoints.empty() && count > 0) {
    endpoints.resize(ranks());
    std::iota(endpoints.begin(), endpoints.end(), 0);
  }
  for (uint32_t &endpoint : endpoints)
    endpoint += count;
}

ExecPlanBuilder::ExecPlanBuilder(ProgramInfo info) : plan(std::move(info)) {
  plan.theScratchChunks.resize(plan.ranks());
}

void ExecPlanBuilder::setScratch(RankId rank, uint32_t chunks) {
  plan.theScratchChunks[rank.index()] = chunks;
}

void ExecPlanBuilder::beginThreadblock(RankId rank, OptionalId<RankId> sendPeer,
                                       OptionalId<RankId> recvPeer, ChannelId channel) {
  Watch::look();
  assert(rank.index() + 1 >= plan.rankStart.size() && "ranks must come in order");
  while (plan.rankStart.size() <= rank.index())
    plan.rankStart.push_back(plan.theThreadblocks.size());
  uint32_t firstStep = plan.theSteps.size();
  plan.theThreadblocks.push_back({rank, sendPeer, recvPeer, channel, firstStep});
  plan.numChannels = std::max(plan.numChannels, channel.index() + 1);
}

Threadblock::Group ExecPlanBuilder::addGroup(ArrayRef<RankId> peers) {
  Threadblock::Group group{static_cast<uint32_t>(plan.theGroupPeers.size()),
                           static_cast<uint32_t>(peers.size())};
  plan.theGroupPeers.insert(plan.theGroupPeers.end(), peers.begin(), peers.end());
  return group;
}

void ExecPlanBuilder::beginThreadblock(RankId rank, const Peers &sendPeers, const Peers &recvPeers,
                                       ChannelId channel) {
  beginThreadblock(rank, sendPeers.only(), recvPeers.only(), channel);
  plan.theThreadblocks.back().sendGroup = addGroup(sendPeers.group());
  plan.theThreadblocks.back().recvGroup = addGroup(recvPeers.group());
}

FailureOr<ExecPlan> ExecPlanBuilder::finish(DiagnosticEngine &diags,
                                            const PlanPositions *positions) && {
  while (plan.rankStart.size() <= plan.ranks())
    plan.rankStart.push_back(plan.theThreadblocks.size());
  plan.theThreadblocks.shrink_to_fit();
  for (const Step &step : plan.theSteps) {
    plan.theMaxCount = std::max(plan.theMaxCount, step.count);
    plan.anyWaits |= step.waits();
  }
  if (failed(verifyStructure(plan, diags, positions)))
    return failure();
  return std::move(plan);
}
