//===- Verify.h - The proof of a plan of MSCCL++ ----------------*- C++ -*-===//
//
// On structurally sound plans, without a look at how they were made:
//
//   * every wait is met, whatever the interleaving (Runner.h);
//   * signals and semaphores end a launch as they began it;
//   * conflicting accesses are ordered, in one launch and from launch to launch
//     of a plan that is launched again and again, with the caller's own accesses
//     to input and output in between (Races.h);
//   * nothing is read that nobody wrote, and every output cell holds what the
//     collective says, each contribution counted (Values.h).
//
// Limits of the executor are a check of their own (Limits.h).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_VERIFY_H
#define CCL_MSCCLPP_VERIFY_H

#include "cclc/Mscclpp/Plan.h"
#include "cclc/Semantics/PlanVerifier.h"

namespace cclc::mscclpp {

/// Threadblocks and ranks together of which clocks are kept; plans of more are not
/// proved, which is reported as illegal.
inline constexpr size_t maxClocks = 4096;

/// Proves \p plan, or reports the counter-example to \p diags. A plan of this kind
/// has no slots.
PlanReport verify(const Plan &plan, DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_VERIFY_H
