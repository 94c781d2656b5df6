//===- PlanVerifier.h - The proof of a plan ---------------------*- C++ -*-===//
//
// Stage 6 of the toolchain, on structurally sound plans (Verifier.h is part 1):
//
//   2. deadlock freedom with c slots: G_c is acyclic (Deadlock.h), and the gates of communicators
//      admit all calls that enter them (Gates.h)
//   3. no races in G_inf (Races.h)
//   4. the post-condition, on symbolic values that count every contribution
//   5. the reduction order of every output chunk, hashed, and whether it is the same on all ranks
//
// under every placement of the plan. Given 2 and 3, the result of 4 holds for every interleaving
// and every larger number of slots. The constraints of a destination (part 6) are a separate
// library.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_PLANVERIFIER_H
#define CCL_PROOF_PLANVERIFIER_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Proof/Verdict.h"

namespace cclc {

struct PlanProof {
  Verdict verdict = Verdict::Ok;
  /// The smallest number of slots with which the plan completes, if there is one.
  std::optional<uint32_t> slotsNeeded;
  /// A hash of the outputs' expressions; unset unless the plan completes without races, and the
  /// hash was requested.
  std::optional<uint64_t> reductionHash;
  /// Of an all-reduce that is proved with its hash: whether all ranks get the same bits, because
  /// each element is one expression on all of them.
  std::optional<bool> sameBits = {};
  /// A restriction of the proof: the collective has no post-condition.
  std::string note;
};

/// Whether a proof includes the reduction hash, which takes time for each output chunk.
enum class ReductionHash : uint8_t { Omit, Compute };

/// Proves \p plan with \p slots slots per connection, or reports the
/// counter-example to \p diags. Up to \p jobs parts are computed at a time; the proof does not
/// depend on their number.
PlanProof verifyPlan(const ExecPlan &plan, Slots slots, DiagnosticEngine &diags,
                     ReductionHash wanted = ReductionHash::Compute, unsigned jobs = 1);

} // namespace cclc

#endif // CCL_PROOF_PLANVERIFIER_H
