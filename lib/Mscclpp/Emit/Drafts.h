//===- Drafts.h - Common parts of lowerings to MSCCL++ ----------*- C++ -*-===//

#ifndef CCL_LIB_MSCCLPP_EMIT_DRAFTS_H
#define CCL_LIB_MSCCLPP_EMIT_DRAFTS_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Mscclpp/PlanBuilder.h"

#include "llvm/ADT/STLExtras.h"

namespace cclc::mscclpp {

/// The position of \p value in \p list; it is added if it is new.
template <class T> uint32_t intern(std::vector<T> &list, const T &value) {
  auto it = llvm::find(list, value);
  if (it == list.end())
    it = list.insert(it, value);
  return it - list.begin();
}

/// The header of the emitted form of \p plan.
Header headerOf(const ExecPlan &plan);

/// The placement of the emitted form: a plan for both becomes one out of place.
Placement placementOf(const ExecPlan &plan);

/// Builds the plan of all ranks.
FailureOr<Plan> finish(const ExecPlan &plan, ArrayRef<RankDraft> ranks, DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_EMIT_DRAFTS_H
