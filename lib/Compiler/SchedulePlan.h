//===- SchedulePlan.h - A plan within all limits ----------------*- C++ -*-===//
//
// Machines, runtimes and command lines limit plans. A plan is scheduled as if
// threadblocks could have any number of steps; only where it then exceeds a limit of the machine or
// the runtime, it is scheduled again with a limit of steps, which costs channels and threadblocks.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_COMPILER_SCHEDULEPLAN_H
#define CCL_LIB_COMPILER_SCHEDULEPLAN_H

#include "cclc/Compiler/Compile.h"
#include "cclc/Constraints/PlanCheck.h"
#include "cclc/Pass/Pass.h"

namespace cclc {

/// What the machine, the runtime and the command line accept; \p machine may be null.
Constraints constraintsOf(const CompileRequest &request, const Machine *machine);

class PlanScheduler {
public:
  /// \p machine may be null; the request must outlive this.
  PlanScheduler(const CompileRequest &request, const Machine *machine)
      : request(request), constraints(constraintsOf(request, machine)) {}

  /// Schedules \p program as \p variant says. With \p steps no threadblock has more, as far as that
  /// can be before fused steps are taken apart.
  FailureOr<ExecPlan> schedule(InstrProgram &&program, const Variant &variant, Slots slots,
                               PassManager &manager, PassContext &context,
                               std::optional<uint32_t> steps = {}) const;

  /// The same within the limits of machine and runtime, if there is such a plan; else the one
  /// that schedule() makes.
  FailureOr<ExecPlan> scheduleWithin(InstrProgram &&program, const Variant &variant, Slots slots,
                                     PassManager &manager, PassContext &context) const;

private:
  const CompileRequest &request;
  Constraints constraints;
};

} // namespace cclc

#endif // CCL_LIB_COMPILER_SCHEDULEPLAN_H
