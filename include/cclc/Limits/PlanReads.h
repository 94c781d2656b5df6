//===- PlanReads.h - The messages that receivers fetch ----------*- C++ -*-===//
//
// A machine may transfer the messages of a connection with one-sided reads: the sender signals that
// a message is in its slot, and the receiver fetches it. Rules 52 to 55 of docs/machine-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIMITS_PLANREADS_H
#define CCL_LIMITS_PLANREADS_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Target/DirectionQueues.h"

namespace cclc {

/// Whether the receives of \p receiver, a threadblock of \p plan, fetch their messages.
bool fetchesMessages(const ExecPlan &plan, const Threadblock &receiver, OneSidedReads reads);
/// Whether those of some threadblock do.
bool hasReads(const ExecPlan &plan, OneSidedReads reads);

} // namespace cclc

#endif // CCL_LIMITS_PLANREADS_H
