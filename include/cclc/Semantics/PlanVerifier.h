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
// finds holds for every interleaving and every larger number of slots. Legality
// for a target (part 6) is a library of its own.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEMANTICS_PLANVERIFIER_H
#define CCL_SEMANTICS_PLANVERIFIER_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// From best to worst: of several failures the worst is reported.
enum class Verdict : uint8_t { Ok, WrongResult, Race, Deadlock, Illegal, Malformed };
/// "ok", "wrong-result", "race", "deadlock", "illegal", "malformed".
StringRef verdictName(Verdict verdict);

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
