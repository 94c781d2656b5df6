//===- Executor.h - Would the executor of MSCCL++ run a plan ----*- C++ -*-===//
//
// The executor copies a plan into arrays of fixed size and checks the bounds of
// one of them only; it ignores fields that it does not know how to use. What would
// overflow, be ignored or be executed otherwise than written is refused here.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_EXECUTOR_H
#define CCL_MSCCLPP_EXECUTOR_H

#include "cclc/Constraints/Constraints.h"
#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// What the executor accepts. All blocks of a launch must be resident: the threadblocks of a rank
/// are the multiprocessors of an A100. The semaphores of a rank have no limit.
Constraints executorConstraints();

/// Reports the first rule that the plan breaks, with what to do.
LogicalResult checkExecutor(const Plan &plan, DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_EXECUTOR_H
