//===- Deadlock.h - Deadlock detection --------------------------*- C++ -*-===//
//
// Part 2 of the proof of a plan: with c slots per connection the happens-before graph G_c is
// acyclic. This holds for every interleaving and every larger c.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_DEADLOCK_H
#define CCL_PROOF_DEADLOCK_H

#include "cclc/Proof/PlanControlFlow.h"

namespace cclc {

/// A cyclic wait: each threadblock waits for the next, and the last for the first.
struct WaitCycle {
  struct Wait {
    PlanThreadblockId threadblock;
    PlanControlFlow::Blockage blockage;
  };
  std::vector<Wait> waits;
};

/// A cyclic wait with \p slots slots, or none if the plan completes.
std::optional<WaitCycle> findDeadlock(const ExecPlan &plan, PlanControlFlow &runner, Slots slots);

/// The smallest number of slots with which the plan completes. None if it deadlocks with unlimited
/// slots; 1 for a plan without messages.
std::optional<uint32_t> slotsNeeded(PlanControlFlow &runner);

/// Reports the cycle, with one note per wait. \p where is a further condition, appended to the
/// message: " at 1024 bytes".
void reportDeadlock(const ExecPlan &plan, const WaitCycle &cycle, Slots slots,
                    DiagnosticEngine &diags, StringRef where = "");

} // namespace cclc

#endif // CCL_PROOF_DEADLOCK_H
