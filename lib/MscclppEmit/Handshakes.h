//===- Handshakes.h - Senders that must wait for a launch -------*- C++ -*-===//
//
// Packets go to the other half of scratch in the next launch, and to the same half in the launch
// after it. A sender cannot be two launches ahead if in every launch it receives a message that
// depends on its receiver; otherwise it first waits for a signal that the receiver has begun the
// launch.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPPEMIT_HANDSHAKES_H
#define CCL_LIB_MSCCLPPEMIT_HANDSHAKES_H

#include "cclc/Semantics/PlanRunner.h"

namespace cclc::mscclpp {

/// By connection: whether its sender needs the handshake when messages are packets.
std::vector<bool> handshakesOfPackets(const ExecPlan &plan, const ConnectionTable &connections,
                                      PlanRunner &runner);

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPPEMIT_HANDSHAKES_H
