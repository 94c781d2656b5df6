//===- Deadlock.h - Can every step complete ---------------------*- C++ -*-===//
//
// Part 2 of the proof of a plan: with c slots per connection the happens-before
// graph G_c is acyclic, which covers every interleaving and every larger c.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEMANTICS_DEADLOCK_H
#define CCL_SEMANTICS_DEADLOCK_H

#include "cclc/Semantics/PlanRunner.h"

namespace cclc {

/// A cyclic wait of threadblocks: each waits for the next, the last for the first.
struct WaitCycle {
  struct Wait {
    uint32_t threadblock;
    PlanRunner::Blockage blockage;
  };
  std::vector<Wait> waits;
};

/// A circle of waits with \p slots slots, or none when the plan completes.
std::optional<WaitCycle> findDeadlock(const ExecPlan &plan, PlanRunner &runner, Slots slots);

/// The smallest number of slots with which the plan completes ("needs c
/// slots"): none where it does not even with unlimited ones, 1 without messages.
std::optional<uint32_t> slotsNeeded(PlanRunner &runner);

/// Reports the circle: what stands still, then one note for every wait. \p where
/// says under what further condition: " at 1024 bytes".
void reportDeadlock(const ExecPlan &plan, const WaitCycle &cycle, Slots slots,
                    DiagnosticEngine &diags, StringRef where = "");

} // namespace cclc

#endif // CCL_SEMANTICS_DEADLOCK_H
