//===- Lower.h - Lowering an ExecPlan to a plan of MSCCL++ ------*- C++ -*-===//
//
// The general form; Compact.h has a better one for most plans. A message of an ExecPlan becomes a
// write into the memory of the receiver and, in the Simple protocol, a signal. It is written
// directly to its destination if all earlier accesses there happen before the write (Landing.h),
// else to scratch, from which the receiver copies or adds it. A sender first waits for a signal
// that the receiver has begun this launch.
//
// In the LL protocol every message consists of packets in scratch, whose flags show that they have
// arrived. Two halves of scratch alternate between launches; a sender that could otherwise be a
// launch ahead of its receiver waits for a signal as well.
//
// Between nodes, a proxy transfers the messages through port channels. In the Simple protocol the
// sender waits until a transfer is complete, because the next steps may overwrite its source. In LL
// the packets are made in the sender's scratch first.
//
// Threadblocks of a rank wait for each other with one semaphore per pair. A threadblock with more
// operations than the executor supports is continued by another one.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_EMIT_LOWER_H
#define CCL_MSCCLPP_EMIT_LOWER_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Mscclpp/Emit/NodeMap.h"
#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// Rejects programs that the format cannot express, before they are compiled.
LogicalResult checkProgram(const ProgramInfo &info, DiagnosticEngine &diags);

/// Rejects plans that the format cannot express, with the reason. \p plan must be verified; limits
/// are not checked (Executor.h).
FailureOr<Plan> lower(const ExecPlan &plan, DiagnosticEngine &diags, const NodeMap &nodes = {});

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_EMIT_LOWER_H
