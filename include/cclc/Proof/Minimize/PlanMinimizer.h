//===- PlanMinimizer.h - The smallest plan that is still interesting *- C++ -*-===//
//
// Reduces a plan by removing messages, local steps and waits, as long as a test accepts the result:
// delta debugging (Zeller and Hildebrandt, 2002) over ranks, connections, single messages, local
// steps and waits, and finally over pairs if few are left, until nothing more can be removed. A
// message is removed at both of its ends, so that every candidate is structurally sound. Then
// counts are reduced to one, and idle ranks and unused chunks are removed, if the test still
// accepts the plan.
//
// The number of candidates is about the number of remaining parts times the logarithm of the number
// of removed parts.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_MINIMIZE_PLANMINIMIZER_H
#define CCL_PROOF_MINIMIZE_PLANMINIMIZER_H

#include "cclc/IR/ExecPlan.h"

#include <functional>

namespace cclc {

/// A part of a plan.
struct MinimizedPlan {
  ExecPlan plan;
  std::vector<uint32_t> origin; ///< by step: the corresponding step of the whole plan
  /// By rank: the corresponding rank of the whole plan.
  std::vector<RankId> ranks;
};

/// Whether a part of the plan has the property that is minimised for.
using InterestingTest = std::function<bool(const MinimizedPlan &)>;

/// Returns the smallest part of \p plan that was found for which \p isInteresting holds; it must
/// hold for the whole plan. Calls \p onSmaller with every smaller part.
MinimizedPlan minimizePlan(const ExecPlan &plan, const InterestingTest &isInteresting,
                           const std::function<void(const MinimizedPlan &)> &onSmaller = {});

} // namespace cclc

#endif // CCL_PROOF_MINIMIZE_PLANMINIMIZER_H
