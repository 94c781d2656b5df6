//===- Json.h - Files of execution plans of MSCCL++ -------------*- C++ -*-===//
//
// The JSON that the executor of MSCCL++ loads; docs/MscclppPlan.md lists the
// fields. One key is our own and ignored there: the `root` of a rooted collective,
// unless it is rank 0. What is valid but not in this model, such as port channels, is
// refused by name.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_JSON_H
#define CCL_MSCCLPP_JSON_H

#include "cclc/Mscclpp/Plan.h"
#include "cclc/Semantics/Verdict.h"

namespace cclc::mscclpp {

/// Whether \p text is JSON that says `gpus` before it says `format`, as plans of
/// our own do.
bool looksLikePlan(StringRef text);

/// Reports syntax, unknown keys and structural errors at line and column. \p why tells
/// a file that is malformed from one with features that are not supported.
FailureOr<Plan> readJson(StringRef text, StringRef fileName, DiagnosticEngine &diags,
                         Verdict *why = nullptr);

void writeJson(const Plan &plan, raw_ostream &os);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_JSON_H
