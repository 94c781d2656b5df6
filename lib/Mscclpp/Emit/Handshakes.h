//===- Handshakes.h - Senders that must wait for a launch -------*- C++ -*-===//
//
// Packets go to the other half of scratch in the next launch, and to the same half in the launch
// after it. A sender cannot be two launches ahead if in every launch it receives a message that
// depends on its receiver; otherwise it first waits for a signal that the receiver has begun the
// launch.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_EMIT_HANDSHAKES_H
#define CCL_LIB_MSCCLPP_EMIT_HANDSHAKES_H

#include "cclc/Proof/PlanControlFlow.h"

#include "llvm/ADT/BitVector.h"

namespace cclc::mscclpp {

/// By rank: the ranks of which it knows at the end of a launch that they have begun it, because
/// messages that it received depend on theirs.
std::vector<llvm::BitVector> ranksKnownToHaveBegun(const ExecPlan &plan,
                                                   const ConnectionTable &connections,
                                                   PlanControlFlow &runner);

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_EMIT_HANDSHAKES_H
