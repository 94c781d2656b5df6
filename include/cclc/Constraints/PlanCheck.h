//===- PlanCheck.h - Whether a plan keeps constraints -----------*- C++ -*-===//
//
// Part 6 of the proof of a plan, apart from the others because it alone looks at a
// destination. Limits of what a plan does not have, such as characters of a file, are
// left to the formats.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_CONSTRAINTS_PLANCHECK_H
#define CCL_CONSTRAINTS_PLANCHECK_H

#include "cclc/Constraints/Constraints.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/Target/Machine.h"

namespace cclc {

/// What the machine limits; its ranks are its endpoints.
Constraints constraintsOf(const Machine &machine);

/// Reports the first limit that the plan exceeds: of the plan, then rank by rank.
LogicalResult checkPlan(const ExecPlan &plan, const Constraints &constraints,
                        DiagnosticEngine &diags);
bool keeps(const ExecPlan &plan, const Constraints &constraints);

/// Reports what no choice of channels and threadblocks brings within the limits (PlanBounds.cpp):
/// any plan for the messages and steps of \p plan exceeds them.
LogicalResult checkBounds(const ExecPlan &plan, const Constraints &constraints,
                          DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_CONSTRAINTS_PLANCHECK_H
