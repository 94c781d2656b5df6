//===- EndpointCheck.h - Limits of plans on the same endpoints --*- C++ -*-===//
//
// Plans that run at once need room for all of them on an endpoint that several of them use:
// threadblocks, connections, direction queues and memory (machine-model.md, rule 51). Each plan
// alone is checked by PlanCheck.h and PlanMemory.h.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIMITS_ENDPOINTCHECK_H
#define CCL_LIMITS_ENDPOINTCHECK_H

#include "cclc/Limits/PlanMemory.h"

namespace cclc {

/// A plan with the endpoints of its ranks.
struct PlanOnEndpoints {
  std::string name; ///< for messages
  const ExecPlan &plan;
  ArrayRef<EndpointId> endpointOf; ///< by rank
  Slots slots;
  Bytes chunk; ///< the size of a chunk
};

/// Reports the first limit of \p machine that the plans together exceed on an endpoint.
LogicalResult checkSharedEndpoints(ArrayRef<PlanOnEndpoints> plans, const Machine &machine,
                                   DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIMITS_ENDPOINTCHECK_H
