//===- MakePlan.h - From a draft to a plan ----------------------*- C++ -*-===//

#ifndef CCL_LIB_SCHEDULE_MAKEPLAN_H
#define CCL_LIB_SCHEDULE_MAKEPLAN_H

#include "Draft.h"

#include "cclc/IR/ExecPlan.h"

namespace cclc::schedule {

/// Numbers threadblocks and steps and writes the plan down, with a `nop` for every wait of
/// a step beyond the first. Threadblocks with fixed ids get them; fails where ids are left
/// out between these. Where a threadblock above options.maxWaitTarget would be waited for, those
/// of its rank that are waited for get the smallest numbers.
FailureOr<ExecPlan> makePlan(const InstrProgram &program, const Draft &draft, const Waits &waits,
                             const Assignment &assignment, const ScheduleOptions &options,
                             DiagnosticEngine &diags);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_MAKEPLAN_H
