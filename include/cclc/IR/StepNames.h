//===- StepNames.h - Names of steps in reports ------------------*- C++ -*-===//

#ifndef CCL_IR_STEPNAMES_H
#define CCL_IR_STEPNAMES_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// "r3 tb1".
std::string threadblockName(const ExecPlan &plan, PlanThreadblockId threadblock);
/// "r3 tb1 step 4 (rrc)".
std::string stepName(const ExecPlan &plan, PlanThreadblockId threadblock, StepId step);
/// The same if the threadblock of the step is unknown.
std::string stepName(const ExecPlan &plan, StepId step);
/// "rrcs i[3] -> i[3]": the operation with the operands that it uses.
void printOperation(raw_ostream &os, OpKind op, Operand src, Operand dst, uint32_t count);
/// "r1", or "r1, r2 and r3".
std::string peerNames(const Peers &peers);
PlanThreadblockId threadblockOf(const ExecPlan &plan, StepId step);
Location stepLocation(const ExecPlan &plan, StepId step);

} // namespace cclc

#endif // CCL_IR_STEPNAMES_H
