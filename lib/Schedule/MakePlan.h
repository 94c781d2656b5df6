//===- MakePlan.h - Making a plan of a draft --------------------*- C++ -*-===//

#ifndef CCL_LIB_SCHEDULE_MAKEPLAN_H
#define CCL_LIB_SCHEDULE_MAKEPLAN_H

#include "Draft.h"

#include "cclc/IR/ExecPlan.h"

namespace cclc::schedule {

/// Numbers threadblocks and steps and builds the plan, with a `nop` for every wait of a step beyond
/// the first. Fixed ids are kept; fails if they leave gaps. If a wait for a threadblock above
/// options.maxWaitTarget would result, the threadblocks of its rank that others wait for get the
/// smallest numbers.
FailureOr<ExecPlan> makePlan(const InstrProgram &program, const Draft &draft, const Waits &waits,
                             const Assignment &assignment, const ScheduleOptions &options,
                             DiagnosticEngine &diags);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_MAKEPLAN_H
