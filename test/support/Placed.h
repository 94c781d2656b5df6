//===- Placed.h - Plans with reordered ranks --------------------*- C++ -*-===//

#ifndef CCL_TEST_SUPPORT_PLACED_H
#define CCL_TEST_SUPPORT_PLACED_H

#include "RandomProgram.h"

#include "cclc/IR/ExecPlan.h"

#include "llvm/Support/ErrorHandling.h"

#include <numeric>

namespace cclc::test {

/// The numbers below \p n in a random order given by \p seed.
inline std::vector<uint32_t> shuffled(uint32_t n, uint64_t seed) {
  Random random(seed);
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (uint32_t i = n; i > 1; --i)
    std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

/// \p plan with rank r on endpoint endpoints[r] of the target named \p target.
inline ExecPlan placed(const ExecPlan &plan, std::vector<uint32_t> endpoints, std::string target) {
  ExecPlanBuilder builder(plan.info());
  builder.info().target = TargetStamp{std::move(target), {}, {}, {}};
  builder.info().placementOnTarget = std::move(endpoints);
  builder.setSlots(plan.slots());
  builder.reserveSteps(plan.steps().size());
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    builder.setScratch(RankId(r), plan.scratchChunks()[r]);
  for (const Threadblock &tb : plan.threadblocks()) {
    builder.beginThreadblock(tb.rank, plan.sendPeers(tb), plan.recvPeers(tb), tb.channel);
    for (const Step &step : plan.steps(tb))
      builder.addStep(step);
  }
  DiagnosticEngine diags;
  FailureOr<ExecPlan> result = std::move(builder).finish(diags);
  if (failed(result))
    llvm::report_fatal_error("a plan with another placement is no plan");
  return std::move(*result);
}

} // namespace cclc::test

#endif // CCL_TEST_SUPPORT_PLACED_H
