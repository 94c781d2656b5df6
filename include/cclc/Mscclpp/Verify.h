//===- Verify.h - The proof of a plan of MSCCL++ ----------------*- C++ -*-===//
//
// On structurally sound plans, without a look at how they were made:
//
//   * every wait is met, whatever the interleaving (Runner.h);
//   * signals and semaphores end a launch as they began it;
//   * conflicting accesses are ordered, in one launch and from launch to launch
//     of a plan that is launched again and again, with the caller's own accesses
//     to input and output in between (Races.h);
//   * no uninitialised cell is read, and every output cell satisfies the post-condition
//     of the collective, each contribution counted (Values.h).
//
// Limits of the executor are a check of their own (Executor.h).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_VERIFY_H
#define CCL_MSCCLPP_VERIFY_H

#include "cclc/Mscclpp/Plan.h"
#include "cclc/Semantics/PlanVerifier.h"

namespace cclc::mscclpp {

/// Threadblocks and ranks together of which clocks are kept; plans of more are not
/// proved, which is reported as unsupported.
inline constexpr size_t maxClocks = 4096;

/// Proves \p plan, or reports the counter-example to \p diags. A plan of this kind
/// has no slots.
PlanReport verify(const Plan &plan, DiagnosticEngine &diags);

/// Reads a file in the form of MSCCL++, checks the limits of the executor and proves the plan.
PlanReport verifyFile(StringRef text, StringRef fileName, DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_VERIFY_H
