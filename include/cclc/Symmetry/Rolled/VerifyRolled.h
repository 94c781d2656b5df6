//===- VerifyRolled.h - The proof of a rolled plan --------------*- C++ -*-===//
//
// Proves a rolled plan for all ranks in time and memory independent of their number, except by the
// length of the threadblocks:
//
//   symmetry    the post-condition is symmetric under the group, so that it holds on all ranks if
//               it holds on rank 0
//   structure   of the folded plan, which is that of the whole plan; tables that name ranks are
//               those of all ranks
//   deadlock    and slots: there are runs of the folded plan and of the whole plan in which all
//               ranks execute each step at the same time. Whether all steps complete does not
//               depend on the order (Proof/PlanControlFlow.h), so both complete or neither does
//   races       by the order inside a rank only, since a path through other folded ranks may lead
//               to another rank of the whole plan. A plan with accesses that need such a path is
//               not decided
//   values      by a run of the folded plan on relative values (RelativeValue.h), in which no step
//               writes a read-only input
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SYMMETRY_ROLLED_VERIFYROLLED_H
#define CCL_SYMMETRY_ROLLED_VERIFYROLLED_H

#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Symmetry/Rolled/RolledPlan.h"

namespace cclc {

/// Proves \p plan with \p slots slots per connection, or reports the counter-example to \p diags.
/// The proof has no reduction hash. The verdict is Unsupported if the proof decides nothing.
PlanProof verifyRolled(const RolledPlan &plan, Slots slots, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SYMMETRY_ROLLED_VERIFYROLLED_H
