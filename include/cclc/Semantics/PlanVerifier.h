//===- PlanVerifier.h - The proof of a plan ---------------------*- C++ -*-===//
//
// Stage 6 of the toolchain, on structurally sound plans (Verifier.h is part 1):
//
//   2. deadlock freedom with c slots: G_c is acyclic (Deadlock.h), and no gate of a
//      communicator is closed to the calls that enter it (Gates.h)
//   3. no races in G_inf (Races.h)
//   4. the post-condition, on symbolic values that count every contribution
//   5. the reduction order of every output chunk, hashed
//
// under every placement that the plan is offered for. With 2 and 3, what 4
// finds holds for every interleaving and every larger number of slots. Constraints of
// a destination (part 6) are a library of their own.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEMANTICS_PLANVERIFIER_H
#define CCL_SEMANTICS_PLANVERIFIER_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Semantics/Verdict.h"

namespace cclc {

struct PlanReport {
  Verdict verdict = Verdict::Ok;
  /// The smallest number of slots that the plan completes with, if any does.
  std::optional<uint32_t> slotsNeeded;
  /// Of the outputs' expressions; unset unless the plan completes without races.
  std::optional<uint64_t> reductionHash;
  /// What limits the statement: a collective without post-condition.
  std::string note;
};

/// Proves \p plan with \p slots slots per connection, or reports the
/// counter-example to \p diags.
PlanReport verifyPlan(const ExecPlan &plan, Slots slots, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SEMANTICS_PLANVERIFIER_H
