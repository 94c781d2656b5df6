//===- RandomPlan.h - Random plans without a proof --------------*- C++ -*-===//
//
// Compiled random programs, unchanged or mutated: structurally valid, but with
// waits removed or steps exchanged, so that they may have any semantic error.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TEST_SUPPORT_RANDOMPLAN_H
#define CCL_TEST_SUPPORT_RANDOMPLAN_H

#include "RandomProgram.h"

#include "cclc/IR/ExecPlan.h"
#include "cclc/Schedule/Schedule.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

#include "llvm/Support/ErrorHandling.h"

namespace cclc::test {

inline FailureOr<InstrProgram> optimised(ChunkProgram program, bool fused, PassContext &context) {
  FailureOr<ChunkProgram> formed = formSwitchOperations(std::move(program), {}, context);
  if (failed(formed))
    return failure();
  FailureOr<InstrProgram> instrs = lowerToInstr(std::move(*formed), context);
  if (!fused)
    return instrs;
  if (succeeded(instrs))
    instrs = removeDeadCopies(std::move(*instrs), context);
  if (succeeded(instrs))
    instrs = fuseReceiveReduce(std::move(*instrs), context);
  if (succeeded(instrs))
    instrs = fuse(std::move(*instrs), {}, context);
  return instrs;
}

/// The plan of the random program of \p seed; must succeed.
inline ExecPlan randomPlan(uint64_t seed, Slots slots, bool fused,
                           const RandomProgramOptions &options = {}) {
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<InstrProgram> instrs = optimised(randomProgram(seed, options), fused, context);
  ScheduleOptions how;
  how.slots = slots;
  if (succeeded(instrs))
    if (FailureOr<ExecPlan> plan = scheduleProgram(std::move(*instrs), how, context);
        succeeded(plan))
      return std::move(*plan);
  llvm::report_fatal_error("a random program does not compile");
}

struct Spoil {
  uint32_t dropWaits = 0; ///< percentage of waits that are removed
  uint32_t swaps = 0;     ///< adjacent steps in a threadblock that are exchanged
};

/// A mutation of \p plan. None if it is no longer well-formed.
inline std::optional<ExecPlan> spoilt(const ExecPlan &plan, Spoil how, Random &random) {
  ExecPlanBuilder builder(plan.info());
  builder.setSlots(plan.slots());
  std::vector<Step> steps = plan.steps().vec();
  for (Step &step : steps)
    if (random.chance(how.dropWaits))
      step.setWait(std::nullopt);
  for (uint32_t n = 0; n < how.swaps && !plan.threadblocks().empty(); ++n) {
    const Threadblock &tb = plan.threadblocks()[random.below(plan.threadblocks().size())];
    if (tb.numSteps > 1) {
      uint32_t at = tb.firstStep + random.below(tb.numSteps - 1);
      std::swap(steps[at], steps[at + 1]);
    }
  }
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    builder.setScratch(RankId(r), plan.scratchChunks()[r]);
  for (const Threadblock &tb : plan.threadblocks()) {
    builder.beginThreadblock(tb.rank, plan.sendPeers(tb), plan.recvPeers(tb), tb.channel);
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s)
      builder.addStep(steps[s]);
  }
  DiagnosticEngine diags;
  FailureOr<ExecPlan> result = std::move(builder).finish(diags);
  if (failed(result))
    return std::nullopt;
  return std::move(*result);
}

/// \p plan with a step for each chunk of each step: what it executes if a transmission is one
/// chunk.
inline ExecPlan splitIntoChunks(const ExecPlan &plan) {
  ExecPlanBuilder builder(plan.info());
  builder.setSlots(plan.slots());
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    builder.setScratch(RankId(r), plan.scratchChunks()[r]);
  auto firstPart = [&](RankId rank, Wait wait) {
    const Threadblock &tb = plan.threadblocks(rank)[wait.tb.index()];
    uint32_t part = 0;
    for (const Step &step : plan.steps(tb).take_front(wait.step.index()))
      part += std::max(step.count, 1u);
    return Wait{wait.tb, StepIndex(part)};
  };
  auto part = [](Operand operand, uint32_t chunk) {
    return operand.isNone() ? operand : operand.offsetBy(chunk);
  };
  for (const Threadblock &tb : plan.threadblocks()) {
    builder.beginThreadblock(tb.rank, plan.sendPeers(tb), plan.recvPeers(tb), tb.channel);
    for (const Step &step : plan.steps(tb))
      for (uint32_t c = 0; c < std::max(step.count, 1u); ++c) {
        Step one = step;
        bool isLast = c + 1 >= step.count;
        one.src = part(step.src, c);
        one.dst = part(step.dst, c);
        one.count = std::min(step.count, 1u);
        one.publishes = step.publishes && isLast;
        one.setWait(std::nullopt);
        if (std::optional<Wait> wait = step.wait(); wait && c == 0)
          one.setWait(firstPart(tb.rank, *wait));
        builder.addStep(one);
      }
  }
  DiagnosticEngine diags;
  FailureOr<ExecPlan> result = std::move(builder).finish(diags);
  if (failed(result))
    llvm::report_fatal_error("a split plan is malformed");
  return std::move(*result);
}

} // namespace cclc::test

#endif // CCL_TEST_SUPPORT_RANDOMPLAN_H
