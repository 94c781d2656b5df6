//===- SchedulePlan.h - Scheduling within limits ----------------*- C++ -*-===//
//
// Machine, runtime and command line limit plans. A plan is first scheduled without a limit of
// steps. If it exceeds a limit of the machine or the runtime, it is scheduled again with a limit of
// steps, which takes more channels and threadblocks.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_COMPILER_SCHEDULEPLAN_H
#define CCL_LIB_COMPILER_SCHEDULEPLAN_H

#include "cclc/Compiler/Compile.h"
#include "cclc/Constraints/PlanCheck.h"
#include "cclc/Pass/Pass.h"

namespace cclc {

/// The limits of the machine, the runtime and the command line; \p machine may be null.
Constraints constraintsOf(const CompileRequest &request, const Machine *machine);

class PlanScheduler {
public:
  /// \p machine may be null; the request must outlive this.
  PlanScheduler(const CompileRequest &request, const Machine *machine)
      : request(request), machine(machine), constraints(constraintsOf(request, machine)) {}

  /// Schedules \p program by \p variant. \p steps is the preferred maximum of steps of a
  /// threadblock, before fused receives are split.
  FailureOr<ExecPlan> schedule(InstrProgram &&program, const Variant &variant, Slots slots,
                               PassManager &manager, PassContext &context,
                               std::optional<uint32_t> steps = {}) const;

  /// The same within the limits of machine and runtime, if there is such a plan; else the result of
  /// schedule().
  FailureOr<ExecPlan> scheduleWithin(InstrProgram &&program, const Variant &variant, Slots slots,
                                     PassManager &manager, PassContext &context) const;

private:
  const CompileRequest &request;
  const Machine *machine;
  Constraints constraints;
};

} // namespace cclc

#endif // CCL_LIB_COMPILER_SCHEDULEPLAN_H
