//===- SwitchSteps.h - One step for an operation of a switch ----*- C++ -*-===//

#ifndef CCL_LIB_SCHEDULE_SWITCHSTEPS_H
#define CCL_LIB_SCHEDULE_SWITCHSTEPS_H

#include "Alternative.h"

namespace cclc::schedule {

/// Makes the plan of a schedule. The sends of every multicast and the reducing receives of every
/// reduction (Directive::inSwitch) become one step, in a threadblock with all of their connections.
/// They remain separate steps if the order of their connections differs, and all do if the plan
/// deadlocks with them, as these steps need several messages or slots at once.
FailureOr<ExecPlan> makePlan(InstrProgram &&program, const Alternative &schedule,
                             const ScheduleOptions &options, PassContext &context);

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_SWITCHSTEPS_H
