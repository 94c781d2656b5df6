//===- Verify.h - The proof of a plan of MSCCL++ ----------------*- C++ -*-===//
//
// Verifies structurally sound plans, independent of their origin:
//
//   * every wait is satisfied in every interleaving (ControlFlow.h);
//   * the counters of signals and semaphores are the same after a launch as before it;
//   * conflicting accesses are ordered, within a launch and between successive launches of the
//     plan, with the caller's own accesses to input and output in between (Races.h);
//   * no uninitialised cell is read, and every output cell satisfies the post-condition
//     of the collective, each contribution counted (Values.h).
//
// The limits of the executor are a separate check (Executor.h).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_PROOF_VERIFY_H
#define CCL_MSCCLPP_PROOF_VERIFY_H

#include "cclc/Mscclpp/Plan.h"
#include "cclc/Proof/PlanVerifier.h"

namespace cclc::mscclpp {

/// The largest sum of threadblocks and ranks for which clocks are kept; larger plans are not
/// verified and reported as unsupported.
inline constexpr size_t maxClocks = 8192;

/// Proves \p plan, or reports the counter-example to \p diags. Such plans have no slots.
PlanProof verify(const Plan &plan, DiagnosticEngine &diags);

/// Checks the limits of the executor and proves \p plan.
PlanProof verifyForExecutor(const Plan &plan, DiagnosticEngine &diags);

/// Reads a file in the MSCCL++ format, checks the limits of the executor and proves the plan.
PlanProof verifyFile(StringRef text, StringRef fileName, DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_PROOF_VERIFY_H
