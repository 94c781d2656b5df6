//===- SchedulePlan.h - Scheduling within limits ----------------*- C++ -*-===//
//
// Machine, runtime and command line limit plans. A plan is first scheduled without a limit of
// steps. If it exceeds a limit of the machine or the runtime, it is scheduled again with a limit of
// steps, which takes more channels and threadblocks. Channels that the program fixes are given up,
// with a warning, if there is no plan within the limits that uses them.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_COMPILER_SCHEDULEPLAN_H
#define CCL_LIB_COMPILER_SCHEDULEPLAN_H

#include "cclc/Compiler/Compile.h"
#include "cclc/Limits/PlanCheck.h"
#include "cclc/Transforms/Pass/Pass.h"

#include <memory>

namespace cclc {

/// The operations that the switches of \p machine perform for the ranks of a program, in groups of
/// at most \p most members, if that is set.
SwitchOperations switchOperations(const ProgramInfo &info, const Machine *machine,
                                  RankPlacement placement, std::optional<uint32_t> most);

/// The limits of the machine, the runtime and the command line; \p machine may be null.
Constraints constraintsOf(const CompileRequest &request, const Machine *machine);

/// How a schedule is cut.
struct ScheduleCut {
  /// The preferred maximum of steps of a threadblock, before fused receives are split.
  std::optional<uint32_t> steps = {};
  /// Whether transfers use the channels that the program fixes.
  bool keepChannels = true;
  /// Whether reductions are arranged for a runtime that merges them.
  bool mergesReductions = true;
};

class PlanScheduler {
public:
  /// \p machine may be null; the request must outlive this.
  PlanScheduler(const CompileRequest &request, const Machine *machine)
      : request(request), machine(machine), constraints(constraintsOf(request, machine)) {}

  /// Whether all ranks do the same, and shall have equal threadblocks.
  bool inLockstep = false;

  /// Schedules \p program by \p variant.
  FailureOr<ExecPlan> schedule(InstrProgram &&program, const Variant &variant, Slots slots,
                               PassManager &manager, PassContext &context,
                               ScheduleCut cut = {}) const;

  /// The same within the limits of machine and runtime, if there is such a plan; else the result of
  /// schedule().
  FailureOr<ExecPlan> scheduleWithin(InstrProgram &&program, const Variant &variant, Slots slots,
                                     PassManager &manager, PassContext &context) const;

private:
  struct Attempt;
  std::unique_ptr<Attempt> attemptCuts(const InstrProgram &program, const Variant &variant,
                                       Slots slots, ScheduleCut cut) const;
  bool attempt(Attempt &one, const InstrProgram &program, const Variant &variant, Slots slots,
               ScheduleCut cut) const;
  /// The limits that depend on channels and threadblocks.
  Constraints cuts() const;

  const CompileRequest &request;
  const Machine *machine;
  Constraints constraints;
};

} // namespace cclc

#endif // CCL_LIB_COMPILER_SCHEDULEPLAN_H
