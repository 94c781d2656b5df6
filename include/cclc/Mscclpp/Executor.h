//===- Executor.h - Checking the limits of the MSCCL++ executor -*- C++ -*-===//
//
// The executor copies a plan into arrays of fixed size and checks the bounds of only one of them;
// it ignores fields that it does not support. Plans that would overflow an array, lose a field or
// be executed differently are rejected here.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_EXECUTOR_H
#define CCL_MSCCLPP_EXECUTOR_H

#include "cclc/Limits/Constraints.h"
#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// The limits of the executor. All blocks of a launch must be resident, so the threadblocks of a
/// rank are limited by the multiprocessors of an A100. The semaphores of a rank are unlimited.
Constraints executorConstraints();

/// Reports the first violated rule, with a remedy.
LogicalResult checkExecutor(const Plan &plan, DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_EXECUTOR_H
