//===- PlanMinimizer.h - The smallest plan that is still interesting *- C++ -*-===//
//
// Cuts a plan down by leaving out messages, local steps and waits, as long as a
// test says that what is sought is still there: delta debugging (Zeller and
// Hildebrandt, 2002) over ranks, connections, single messages, local steps and
// waits, and over pairs of what is left of a small plan, until nothing more can go.
// A message is removed at both of its ends, so that every candidate is structurally sound.
// Then counts are reduced to one, and idle ranks and unused chunks are removed, if the
// test still accepts the plan.
//
// The number of candidates is about the number of parts that stay times the
// logarithm of those that go.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MINIMIZE_PLANMINIMIZER_H
#define CCL_MINIMIZE_PLANMINIMIZER_H

#include "cclc/IR/ExecPlan.h"

#include <functional>

namespace cclc {

/// What is left of a plan.
struct ReducedPlan {
  ExecPlan plan;
  std::vector<uint32_t> origin; ///< by step: the step of the whole plan that it was
  /// By rank: that of the whole plan.
  std::vector<RankId> ranks;
};

/// Whether what is sought is in a part of the plan.
using InterestingTest = std::function<bool(const ReducedPlan &)>;

/// The smallest part of \p plan that was found for which \p isInteresting holds; it has to hold
/// for the whole. \p onSmaller hears of every smaller part.
ReducedPlan reducePlan(const ExecPlan &plan, const InterestingTest &isInteresting,
                       const std::function<void(const ReducedPlan &)> &onSmaller = {});

} // namespace cclc

#endif // CCL_MINIMIZE_PLANMINIMIZER_H
