//===- PlanCheck.h - Checking a plan against constraints --------*- C++ -*-===//
//
// Part 6 of the proof of a plan, separate from the others because it depends on a destination.
// Limits on properties that a plan does not have, such as the characters of a file, are checked by
// the formats.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIMITS_PLANCHECK_H
#define CCL_LIMITS_PLANCHECK_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Limits/Constraints.h"
#include "cclc/Target/Machine.h"

namespace cclc {

/// The limits of the machine; the number of ranks is limited by its endpoints.
Constraints constraintsOf(const Machine &machine);

/// Reports the first limit that the plan exceeds, first for the whole plan, then rank by rank.
LogicalResult checkPlan(const ExecPlan &plan, const Constraints &constraints,
                        DiagnosticEngine &diags);
/// The limits of \p machine, which include its queues, and memory for \p slots slots of every
/// connection. The plan needs \p leastSlots, if this is known.
LogicalResult checkPlan(const ExecPlan &plan, const Machine &machine, Slots slots,
                        DiagnosticEngine &diags, std::optional<uint32_t> leastSlots = std::nullopt);
bool keeps(const ExecPlan &plan, const Constraints &constraints);
/// The limit that checkPlan() reports; unset if the plan exceeds none.
std::optional<Breach> findBreach(const ExecPlan &plan, const Constraints &constraints);

/// Reports limits that every plan with the messages and steps of \p plan exceeds, whatever its
/// channels and threadblocks (PlanBounds.cpp).
LogicalResult checkBounds(const ExecPlan &plan, const Constraints &constraints,
                          DiagnosticEngine &diags);

/// Reports the first operation of a switch in \p plan, for destinations that have none, or of which
/// \p lacking has none.
LogicalResult checkNoSwitches(const ExecPlan &plan, StringRef destination, DiagnosticEngine &diags,
                              StringRef lacking = {});

} // namespace cclc

#endif // CCL_LIMITS_PLANCHECK_H
