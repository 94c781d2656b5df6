//===- GatherWaits.cpp - Waiting before merged reductions -----------------===//
//
//   nop <- tb 1, 0                         nop <- tb 1, 0
//   re  s[1] -> o[0] <- tb 2, 0            nop <- tb 2, 0
//   nop <- tb 3, 0                  =>     nop <- tb 3, 0
//   re  s[2] -> o[0] <- tb 4, 0            re  s[1] -> o[0] <- tb 4, 0
//   re  s[3] -> o[0] publishes             re  s[2] -> o[0]
//                                          re  s[3] -> o[0] publishes
//
// The reductions are one operation for the runtimes of MSCCL-IR if only the first one waits
// (IR/MergedReductions.h). A wait moves before the reductions that precede it in the same
// operation, and before nothing else. None of these sends or publishes, so the only successor of
// each is the next reduction, and a step that depends on one of them depends on the last one. The
// target of a moved wait precedes a later reduction of the operation; if it depended on an earlier
// one, it would depend on the last one and so on itself. Therefore no deadlock is added, with any
// number of slots. The operands keep their order, so results are bit-equal.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/MergedReductions.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace cclc;

/// Whether \p step is a wait of the next step that is not a nop.
static bool onlyWaits(const Step &step) {
  return step.op == OpKind::Nop && step.waits() && !step.publishes;
}

namespace {
class WaitGathering {
public:
  WaitGathering(const ExecPlan &plan, PassContext &context)
      : plan(plan), context(context), newIndex(plan.steps().size()) {
    for (Placement placement : plan.info().placements.list())
      spaces.push_back(plan.cells(placement));
  }

  FailureOr<ExecPlan> run() {
    steps.reserve(plan.steps().size());
    for (const Threadblock &tb : plan.threadblocks()) {
      begin.push_back(steps.size());
      gather(tb);
      numberSteps(tb);
    }
    begin.push_back(steps.size());
    context.count("gather-waits", "waits", gathered);
    return make();
  }

private:
  /// The steps of a threadblock that were added last, which a runtime executes as one operation.
  struct Operation {
    size_t waits; ///< the first of the nops before it
    size_t first; ///< its first step
  };

  /// Appends the steps of \p tb to `steps`.
  void gather(const Threadblock &tb) {
    MergedReductions merged;
    Operation operation{steps.size(), steps.size()};
    SmallVector<Step, 16> nops; // before the next step
    for (const Step &step : plan.steps(tb)) {
      if (onlyWaits(step)) {
        nops.push_back(step);
        continue;
      }
      Step next = step;
      if (operation.first < steps.size() && mayMoveWaits(tb.rank, step, steps[operation.first]))
        next.setWait(std::nullopt);
      else if (!nops.empty())
        next.setWait(nops.back().wait());
      if (merged.add(next)) {
        for (const Step &nop : nops)
          addWait(operation, *nop.wait());
        if (std::optional<Wait> wait = step.wait())
          addWait(operation, *wait);
      } else {
        operation.waits = steps.size();
        steps.insert(steps.end(), nops.begin(), nops.end());
        operation.first = steps.size();
        next = step;
      }
      steps.push_back(next);
      nops.clear();
    }
    steps.insert(steps.end(), nops.begin(), nops.end());
  }

  /// Whether the waits of \p step may precede \p first, if both are in one operation. Waits of
  /// another phase may not, because phases are entered in order. Operands that are the destination
  /// under some placement would be read too early.
  bool mayMoveWaits(RankId rank, const Step &step, const Step &first) const {
    if (step.phase != first.phase || step.op != OpKind::Reduce)
      return false;
    return llvm::none_of(spaces, [&](const CellSpace &cells) {
      uint64_t src = cells.offsetInRank(rank, step.src), dst = cells.offsetInRank(rank, step.dst);
      return src < dst + step.count && dst < src + step.count;
    });
  }

  /// Adds a wait to \p operation, or replaces one for an earlier step of the same threadblock.
  void addWait(Operation &operation, Wait wait) {
    ++gathered;
    for (size_t s = operation.waits; s <= operation.first; ++s)
      if (std::optional<Wait> other = steps[s].wait(); other && other->tb == wait.tb) {
        steps[s].setWait(Wait{wait.tb, std::max(wait.step, other->step)});
        return;
      }
    if (steps[operation.first].waits()) {
      const Step &first = steps[operation.first];
      Step nop(OpKind::Nop, {}, {}, 0, first.loc, first.loc);
      nop.phase = first.phase;
      nop.setWait(first.wait());
      steps.insert(steps.begin() + operation.first++, nop);
    }
    steps[operation.first].setWait(wait);
  }

  /// Computes the new indices of the steps of \p tb; a nop has that of the step after it.
  void numberSteps(const Threadblock &tb) {
    size_t first = begin.back(), next = first;
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
      while (next + 1 < steps.size() && onlyWaits(steps[next]))
        ++next;
      newIndex[s] = next - first;
      next += !onlyWaits(plan.steps()[s]);
    }
  }

  FailureOr<ExecPlan> make() {
    ExecPlanBuilder builder(plan.info());
    builder.reserveSteps(steps.size());
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      builder.setScratch(RankId(r), plan.scratchChunks()[r]);
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
      const Threadblock &tb = plan.threadblocks()[t];
      builder.beginThreadblock(tb.rank, plan.sendPeers(tb), plan.recvPeers(tb), tb.channel);
      for (size_t s = begin[t]; s < begin[t + 1]; ++s) {
        std::optional<Wait> wait = steps[s].wait();
        if (wait)
          wait->step = StepIndex(newIndex[plan.threadblocks(tb.rank)[wait->tb.index()].firstStep +
                                          wait->step.index()]);
        builder.addStep(steps[s]).setWait(wait);
      }
    }
    return std::move(builder).finish(context.diags);
  }

  const ExecPlan &plan;
  PassContext &context;
  std::vector<CellSpace> spaces;  ///< of every placement
  std::vector<Step> steps;        ///< the result, with waits for steps of `plan`
  std::vector<size_t> begin;      ///< by threadblock
  std::vector<uint32_t> newIndex; ///< by step of `plan`
  uint64_t gathered = 0;
};
} // namespace

FailureOr<ExecPlan> cclc::gatherWaits(ExecPlan &&plan, PassContext &context) {
  return WaitGathering(plan, context).run();
}
