//===- StepNames.h - Names of steps in reports ------------------*- C++ -*-===//

#ifndef CCL_IR_STEPNAMES_H
#define CCL_IR_STEPNAMES_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// "r3 tb1". \p threadblock is an index into the plan.
std::string threadblockName(const ExecPlan &plan, uint32_t threadblock);
/// "r3 tb1 step 4 (rrc)".
std::string stepName(const ExecPlan &plan, uint32_t threadblock, uint32_t step);
/// The same if the threadblock of the step is unknown.
std::string stepName(const ExecPlan &plan, uint32_t step);
/// "rrcs i[3] -> i[3]": the operation with the operands that it uses.
void printOperation(raw_ostream &os, OpKind op, Operand src, Operand dst, uint32_t count);
uint32_t threadblockOf(const ExecPlan &plan, uint32_t step);
Location stepLocation(const ExecPlan &plan, uint32_t step);

} // namespace cclc

#endif // CCL_IR_STEPNAMES_H
