//===- RepeatedSends.h - Messages with the data of an earlier one -*- C++ -*-===//
//
// A send that is in a plan twice shifts the messages of its connection: each later receive takes
// the message before the one that it is meant to take, so that accesses behind it are no longer
// ordered. The race then shows on the rank of these accesses, and its cause is the repeated send.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_PROOF_REPEATEDSENDS_H
#define CCL_LIB_PROOF_REPEATEDSENDS_H

#include "cclc/IR/Connections.h"

namespace cclc {

/// Two sends of a threadblock with the same data.
struct RepeatedSend {
  StepId first, again;
};

/// The repeated send that is the fewest steps, messages and waits before the end of one of
/// \p steps, or one of them; none if there is none, or if the plan is too large to be traced.
std::optional<RepeatedSend> findRepeatedSend(const ExecPlan &plan,
                                             const ConnectionTable &connections,
                                             Placement placement, ArrayRef<StepId> steps);

} // namespace cclc

#endif // CCL_LIB_PROOF_REPEATEDSENDS_H
