#include "MakePlan.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::schedule;
using llvm::formatv;

namespace {
class PlanMaker {
public:
  PlanMaker(const InstrProgram &program, const Draft &draft, const Waits &waits,
            const Assignment &assignment)
      : program(program), draft(draft), waits(waits), assignment(assignment),
        localId(assignment.workers.size()), stepIndex(draft.steps.size()) {}

  LogicalResult numberThreadblocks(DiagnosticEngine &diags);
  FailureOr<ExecPlan> make(ProgramInfo info, Slots slots, DiagnosticEngine &diags);

private:
  void groupSteps();
  void addSteps(ExecPlanBuilder &builder, uint32_t worker);

  const InstrProgram &program;
  const Draft &draft;
  const Waits &waits;
  const Assignment &assignment;

  std::vector<std::vector<uint32_t>> layout; ///< by rank: workers in the order of their ids
  std::vector<uint32_t> localId;             ///< by worker
  std::vector<uint32_t> stepIndex;           ///< by step, nops counted
  std::vector<uint32_t> groupBegin, grouped; ///< steps by worker
};

/// Threadblocks with fixed ids get them; the others fill the rest by channel,
/// send peer and receive peer.
LogicalResult PlanMaker::numberThreadblocks(DiagnosticEngine &diags) {
  std::vector<bool> used(assignment.workers.size());
  for (const DraftStep &step : draft.steps)
    used[step.worker.index()] = true;
  layout.resize(program.info().ranks());
  auto key = [&](uint32_t w) {
    const Worker &worker = assignment.workers[w];
    // Threadblocks without a peer come after those with one.
    auto peer = [&](OptionalId<ConnectionId> id, RankId schedule::Connection::*end) -> uint64_t {
      return id ? (assignment.connections[(*id).index()].*end).index() : ~uint32_t(0);
    };
    return std::tuple(worker.channel ? (*worker.channel).index() : 0,
                      peer(worker.send, &schedule::Connection::dst),
                      peer(worker.recv, &schedule::Connection::src), w);
  };
  std::vector<std::vector<uint32_t>> fixed(layout.size()), open(layout.size());
  for (uint32_t w = 0; w < assignment.workers.size(); ++w)
    if (used[w]) {
      const Worker &worker = assignment.workers[w];
      (worker.fixedId ? fixed : open)[worker.rank.index()].push_back(w);
    }
  for (uint32_t r = 0; r < layout.size(); ++r) {
    std::sort(open[r].begin(), open[r].end(),
              [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    std::sort(fixed[r].begin(), fixed[r].end(), [&](uint32_t a, uint32_t b) {
      return *assignment.workers[a].fixedId < *assignment.workers[b].fixedId;
    });
    auto nextOpen = open[r].begin();
    for (uint32_t w : fixed[r]) {
      uint32_t id = *assignment.workers[w].fixedId;
      while (layout[r].size() < id && nextOpen != open[r].end())
        layout[r].push_back(*nextOpen++);
      if (layout[r].size() < id)
        return diags.error({}, formatv("threadblock ids must be dense: r{0} uses tb{1}, but has "
                                       "no tb{2}",
                                       r, id, layout[r].size()));
      layout[r].push_back(w);
    }
    layout[r].insert(layout[r].end(), nextOpen, open[r].end());
    for (uint32_t id = 0; id < layout[r].size(); ++id)
      localId[layout[r][id]] = id;
  }
  return success();
}

void PlanMaker::groupSteps() {
  groupBegin.assign(assignment.workers.size() + 1, 0);
  for (const DraftStep &step : draft.steps)
    ++groupBegin[step.worker.index() + 1];
  for (uint32_t w = 0; w < assignment.workers.size(); ++w)
    groupBegin[w + 1] += groupBegin[w];
  grouped.resize(draft.steps.size());
  std::vector<uint32_t> at(groupBegin.begin(), groupBegin.end() - 1);
  std::vector<uint32_t> next(assignment.workers.size());
  for (uint32_t s = 0; s < draft.steps.size(); ++s) {
    uint32_t worker = draft.steps[s].worker.index();
    grouped[at[worker]++] = s;
    // One wait fits into the step itself, every further one needs a nop before it.
    uint32_t nops = std::max<size_t>(waits.of(s).size(), 1) - 1;
    stepIndex[s] = next[worker] + nops;
    next[worker] += nops + 1;
  }
}

void PlanMaker::addSteps(ExecPlanBuilder &builder, uint32_t worker) {
  for (uint32_t at = groupBegin[worker]; at < groupBegin[worker + 1]; ++at) {
    uint32_t s = grouped[at];
    const DraftStep &draftStep = draft.steps[s];
    const Instr &instr = program[draftStep.instr];
    std::span<const uint32_t> targets = waits.of(s);
    auto waitFor = [&](uint32_t target) {
      return Wait{ThreadblockId(localId[draft.steps[target].worker.index()]),
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
    bool isFused = traits(draftStep.op).isFused();
    Step step(draftStep.op, draftStep.src, draftStep.dst, instr.count, loc,
              isFused ? instr.sendLoc : loc);
    step.phase = instr.phase;
    if (!targets.empty())
      step.setWait(waitFor(targets.back()));
    step.publishes = waits.isTarget(s);
    builder.addStep(step);
  }
}

FailureOr<ExecPlan> PlanMaker::make(ProgramInfo info, Slots slots, DiagnosticEngine &diags) {
  groupSteps();
  ExecPlanBuilder builder(std::move(info));
  builder.setSlots(slots);
  builder.reserveSteps(draft.steps.size());
  for (uint32_t r = 0; r < layout.size(); ++r) {
    builder.setScratch(RankId(r), draft.scratchChunks[r]);
    for (uint32_t w : layout[r]) {
      const Worker &worker = assignment.workers[w];
      OptionalId<RankId> send, recv;
      if (worker.send)
        send = assignment.connections[(*worker.send).index()].dst;
      if (worker.recv)
        recv = assignment.connections[(*worker.recv).index()].src;
      builder.beginThreadblock(RankId(r), send, recv,
                               worker.channel ? *worker.channel : ChannelId(0));
      addSteps(builder, w);
    }
  }
  return std::move(builder).finish(diags);
}
} // namespace

FailureOr<ExecPlan> schedule::makePlan(const InstrProgram &program, const Draft &draft,
                                       const Waits &waits, const Assignment &assignment,
                                       Slots slots, DiagnosticEngine &diags) {
  PlanMaker maker(program, draft, waits, assignment);
  if (failed(maker.numberThreadblocks(diags)))
    return failure();
  return maker.make(program.info(), slots, diags);
}
