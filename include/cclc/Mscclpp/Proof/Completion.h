//===- Completion.h - An order of the operations of a launch ----*- C++ -*-===//

#ifndef CCL_MSCCLPP_PROOF_COMPLETION_H
#define CCL_MSCCLPP_PROOF_COMPLETION_H

#include "cclc/Mscclpp/Proof/Groups.h"

namespace cclc::mscclpp {

/// An operation as it completed in a run; both are indices into the plan.
struct Completed {
  uint32_t threadblock, op;
};

/// The operations of a launch in an order in which they can complete, or an error with the cyclic
/// wait. The plan has no pipelines and shares, and its \p groups are set up. In a plan that is free
/// of races every such order has the same results.
FailureOr<std::vector<Completed>> completionOrder(const Plan &plan, const Groups &groups,
                                                  DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_PROOF_COMPLETION_H
