//===- Lower.h - From an ExecPlan to a plan of MSCCL++ ----------*- C++ -*-===//
//
// A message of an ExecPlan becomes a write into the memory of the receiver and,
// in the Simple protocol, a signal. It lands where the receiver wants it, if all
// that is done there before is known to the sender to be over (Landing.h), else in
// scratch, from where the receiver copies or adds it. A sender first waits for a
// signal that the receiver has come to this launch.
//
// In the LL protocol every message is packets in scratch, whose flags tell that
// they are there. Two halves of scratch alternate; a sender that would not notice
// that its receiver is a launch behind waits for a signal as well.
//
// Threadblocks of a rank wait for each other with a semaphore for each pair. One
// with more operations than the executor takes is continued by another one.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_LOWER_H
#define CCL_MSCCLPP_LOWER_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// Refuses what the format has no words for, with the reason. \p plan must be
/// proved; limits are not checked (Limits.h).
FailureOr<Plan> lower(const ExecPlan &plan, DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_LOWER_H
