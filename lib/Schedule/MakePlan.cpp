//===- MakePlan.cpp - Numbering threadblocks and steps --------------------===//
//
// Threadblocks of a rank are sorted by channel and peers, so that their numbers do not depend
// on the order in which the assignment made them. Steps are grouped by threadblock with a
// counting sort, which keeps their order; their indices count the nops before them, since
// waits refer to these indices. Scratch cells that no step uses are removed. The time is linear
// in the steps, plus the sorting of threadblocks.
//
//===----------------------------------------------------------------------===//

#include "MakePlan.h"

#include "cclc/Schedule/ThreadblockOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::schedule;
using llvm::formatv;

/// Sorts the numbers \p list by their keys, which are computed once.
template <class Key> static void sortBy(std::vector<uint32_t> &list, Key keyOf) {
  std::vector<decltype(std::pair(keyOf(0), uint32_t()))> keyed;
  keyed.reserve(list.size());
  for (uint32_t number : list)
    keyed.emplace_back(keyOf(number), number);
  llvm::sort(keyed);
  for (size_t i = 0; i < list.size(); ++i)
    list[i] = keyed[i].second;
}

namespace {
class PlanMaker {
public:
  PlanMaker(const InstrProgram &program, const Draft &draft, const Waits &waits,
            const Assignment &assignment)
      : program(program), draft(draft), waits(waits), assignment(assignment),
        localId(assignment.threadblocks.size()), stepIndex(draft.steps.size()),
        stepsOf(assignment.threadblocks.size(), draft.steps.size(),
                [&](uint32_t s) { return draft.steps[s].threadblock.index(); }) {}

  LogicalResult numberThreadblocks(std::optional<uint32_t> maxWaitTarget, DiagnosticEngine &diags);
  FailureOr<ExecPlan> make(ProgramInfo info, Slots slots, DiagnosticEngine &diags);

private:
  void findOrders();
  auto orderKey(uint32_t threadblock) const;
  LogicalResult layOutRank(uint32_t rank, ArrayRef<uint32_t> fixed, ArrayRef<uint32_t> open,
                           DiagnosticEngine &diags);
  uint64_t numberSteps();
  template <class Fn> void forScratch(Fn fn) const;
  void numberScratch(ExecPlanBuilder &builder);
  void addSteps(ExecPlanBuilder &builder, uint32_t threadblock);

  const InstrProgram &program;
  const Draft &draft;
  const Waits &waits;
  const Assignment &assignment;

  std::vector<std::vector<uint32_t>> layout; ///< by rank: threadblocks in the order of their ids
  std::vector<uint32_t> localId;             ///< by threadblock
  std::vector<ThreadblockOrder> orders;      ///< by rank
  std::vector<uint32_t> stepIndex;           ///< by step, nops counted
  Grouped stepsOf;                           ///< by threadblock
  std::vector<uint64_t> scratchBegin;        ///< by rank
  std::vector<uint32_t> scratchIndex; ///< by scratch cell of the draft: its number in the plan
};

/// Counts the ranks to which each rank sends, up to 3.
void PlanMaker::findOrders() {
  uint32_t ranks = program.info().ranks();
  std::vector<std::vector<uint32_t>> peers(ranks);
  for (const ThreadblockDraft &threadblock : assignment.threadblocks) {
    if (!threadblock.send)
      continue;
    uint32_t peer = assignment.connections[(*threadblock.send).index()].dst.index();
    std::vector<uint32_t> &known = peers[threadblock.rank.index()];
    if (known.size() <= 2 && !llvm::is_contained(known, peer))
      known.push_back(peer);
  }
  for (uint32_t r = 0; r < ranks; ++r)
    orders.emplace_back(ranks, RankId(r), peers[r].size());
}

auto PlanMaker::orderKey(uint32_t w) const {
  const ThreadblockDraft &threadblock = assignment.threadblocks[w];
  OptionalId<RankId> send, recv;
  if (threadblock.send)
    send = assignment.connections[(*threadblock.send).index()].dst;
  if (threadblock.recv)
    recv = assignment.connections[(*threadblock.recv).index()].src;
  return orders[threadblock.rank.index()].key(threadblock.channel, send, recv);
}

LogicalResult PlanMaker::numberThreadblocks(std::optional<uint32_t> maxWaitTarget,
                                            DiagnosticEngine &diags) {
  std::vector<bool> used(assignment.threadblocks.size()), waitedFor(assignment.threadblocks.size());
  for (uint32_t s = 0; s < draft.steps.size(); ++s) {
    uint32_t threadblock = draft.steps[s].threadblock.index();
    used[threadblock] = true;
    if (waits.isTarget(s))
      waitedFor[threadblock] = true;
  }
  findOrders();
  layout.resize(program.info().ranks());
  std::vector<std::vector<uint32_t>> fixed(layout.size()), open(layout.size());
  for (uint32_t w = 0; w < assignment.threadblocks.size(); ++w)
    if (used[w]) {
      const ThreadblockDraft &threadblock = assignment.threadblocks[w];
      (threadblock.fixedId ? fixed : open)[threadblock.rank.index()].push_back(w);
    }
  for (uint32_t r = 0; r < layout.size(); ++r) {
    sortBy(open[r], [&](uint32_t w) { return orderKey(w); });
    sortBy(fixed[r], [&](uint32_t w) { return *assignment.threadblocks[w].fixedId; });
    if (failed(layOutRank(r, fixed[r], open[r], diags)))
      return failure();
    auto isTooHigh = [&](uint32_t w) { return waitedFor[w] && localId[w] > *maxWaitTarget; };
    if (!maxWaitTarget || llvm::none_of(layout[r], isTooHigh))
      continue;
    sortBy(open[r], [&](uint32_t w) { return std::pair(!waitedFor[w], orderKey(w)); });
    if (failed(layOutRank(r, fixed[r], open[r], diags)))
      return failure();
  }
  return success();
}

/// Assigns fixed ids; the other threadblocks get the remaining ids.
LogicalResult PlanMaker::layOutRank(uint32_t r, ArrayRef<uint32_t> fixed, ArrayRef<uint32_t> open,
                                    DiagnosticEngine &diags) {
  layout[r].clear();
  const auto *nextOpen = open.begin();
  for (uint32_t w : fixed) {
    uint32_t id = *assignment.threadblocks[w].fixedId;
    while (layout[r].size() < id && nextOpen != open.end())
      layout[r].push_back(*nextOpen++);
    if (layout[r].size() < id)
      return diags.error({}, formatv("threadblock ids must be dense: r{0} uses tb{1}, but has "
                                     "no tb{2}",
                                     r, id, layout[r].size()));
    layout[r].push_back(w);
  }
  layout[r].insert(layout[r].end(), nextOpen, open.end());
  for (uint32_t id = 0; id < layout[r].size(); ++id)
    localId[layout[r][id]] = id;
  return success();
}

/// Numbers the steps of each threadblock. Returns the number of steps of the plan.
uint64_t PlanMaker::numberSteps() {
  uint64_t steps = draft.steps.size();
  std::vector<uint32_t> next(assignment.threadblocks.size());
  for (uint32_t s = 0; s < draft.steps.size(); ++s) {
    uint32_t threadblock = draft.steps[s].threadblock.index();
    // The step itself has one wait; every further one needs a nop before it.
    uint32_t nops = std::max<size_t>(waits.of(s).size(), 1) - 1;
    stepIndex[s] = next[threadblock] + nops;
    next[threadblock] += nops + 1;
    steps += nops;
  }
  return steps;
}

/// Calls fn(first cell, count) for the ranges of scratch that steps use.
template <class Fn> void PlanMaker::forScratch(Fn fn) const {
  for (const DraftStep &step : draft.steps) {
    const Instr &instr = program[step.instr];
    auto [src, dst] = draft.operandsOf(step, instr);
    for (Operand operand : {src, dst})
      if (!operand.isNone() && operand.buffer() == Buffer::Scratch)
        fn(scratchBegin[instr.rank.index()] + operand.index(), instr.count);
  }
}

/// Keeps the scratch cells that steps use, in their order.
void PlanMaker::numberScratch(ExecPlanBuilder &builder) {
  scratchBegin = {0};
  for (uint32_t chunks : draft.scratchChunks)
    scratchBegin.push_back(scratchBegin.back() + chunks);
  if (scratchBegin.back() == 0)
    return;
  scratchIndex.resize(scratchBegin.back());
  forScratch(
      [&](uint64_t first, uint32_t count) { std::fill_n(scratchIndex.begin() + first, count, 1); });
  for (uint32_t r = 0; r < draft.scratchChunks.size(); ++r) {
    uint32_t used = 0;
    for (uint64_t cell = scratchBegin[r]; cell < scratchBegin[r + 1]; ++cell)
      scratchIndex[cell] = used += scratchIndex[cell];
    builder.setScratch(RankId(r), used);
  }
}

void PlanMaker::addSteps(ExecPlanBuilder &builder, uint32_t threadblock) {
  for (uint32_t s : stepsOf[threadblock]) {
    const DraftStep &draftStep = draft.steps[s];
    const Instr &instr = program[draftStep.instr];
    std::span<const uint32_t> targets = waits.of(s);
    auto waitFor = [&](uint32_t target) {
      return Wait{ThreadblockId(localId[draft.steps[target].threadblock.index()]),
                  StepIndex(stepIndex[target])};
    };
    bool isSendHalf = draftStep.op == OpKind::Send && instr.op != OpKind::Send;
    LocId loc = isSendHalf ? instr.sendLoc : instr.loc;
    for (size_t i = 0; i + 1 < targets.size(); ++i) {
      Step nop(OpKind::Nop, {}, {}, 0, loc, loc);
      nop.phase = instr.phase;
      nop.setWait(waitFor(targets[i]));
      builder.addStep(nop);
    }
    LocId sendLoc = traits(draftStep.op).isFused() ? instr.sendLoc : loc;
    if (auto it = draft.multicasts.find(draftStep.instr.index()); it != draft.multicasts.end())
      sendLoc = program[it->second].loc;
    auto [src, dst] = draft.operandsOf(draftStep, instr);
    for (Operand *operand : {&src, &dst})
      if (!operand->isNone() && operand->buffer() == Buffer::Scratch)
        *operand = Operand(Buffer::Scratch,
                           scratchIndex[scratchBegin[instr.rank.index()] + operand->index()] - 1);
    Step step(draftStep.op, src, dst, instr.count, loc, sendLoc);
    step.phase = instr.phase;
    if (!targets.empty())
      step.setWait(waitFor(targets.back()));
    step.publishes = waits.isTarget(s);
    builder.addStep(step);
  }
}

FailureOr<ExecPlan> PlanMaker::make(ProgramInfo info, Slots slots, DiagnosticEngine &diags) {
  ExecPlanBuilder builder(std::move(info));
  builder.setSlots(slots);
  builder.reserveSteps(numberSteps());
  numberScratch(builder);
  for (uint32_t r = 0; r < layout.size(); ++r) {
    for (uint32_t w : layout[r]) {
      const ThreadblockDraft &threadblock = assignment.threadblocks[w];
      SmallVector<RankId, 8> send, recv;
      if (auto it = assignment.joined.find(w); it != assignment.joined.end()) {
        for (ConnectionId connection : it->second.sends)
          send.push_back(assignment.connections[connection.index()].dst);
        for (ConnectionId connection : it->second.recvs)
          recv.push_back(assignment.connections[connection.index()].src);
        llvm::sort(send);
        llvm::sort(recv);
      } else {
        if (threadblock.send)
          send.push_back(assignment.connections[(*threadblock.send).index()].dst);
        if (threadblock.recv)
          recv.push_back(assignment.connections[(*threadblock.recv).index()].src);
      }
      builder.beginThreadblock(RankId(r), Peers(send), Peers(recv),
                               threadblock.channel ? *threadblock.channel : ChannelId(0));
      addSteps(builder, w);
    }
  }
  return std::move(builder).finish(diags);
}
} // namespace

FailureOr<ExecPlan> schedule::makePlan(const InstrProgram &program, const Draft &draft,
                                       const Waits &waits, const Assignment &assignment,
                                       const ScheduleOptions &options, DiagnosticEngine &diags) {
  PlanMaker maker(program, draft, waits, assignment);
  if (failed(maker.numberThreadblocks(options.maxWaitTarget, diags)))
    return failure();
  return maker.make(program.info(), options.slots, diags);
}
