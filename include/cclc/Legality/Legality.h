//===- Legality.h - May this machine run this plan --------------*- C++ -*-===//
//
// Part 6 of the proof of a plan, apart from the others because it alone looks at
// a target: channels, threadblocks, steps, counts and queue pairs within its
// limits.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LEGALITY_LEGALITY_H
#define CCL_LEGALITY_LEGALITY_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Target/Machine.h"

namespace cclc {

/// Reports the first limit that the plan exceeds, with the value and a remedy.
LogicalResult checkLegality(const ExecPlan &plan, const Machine &machine, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LEGALITY_LEGALITY_H
