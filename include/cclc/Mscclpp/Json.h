//===- Json.h - Files of execution plans of MSCCL++ -------------*- C++ -*-===//
//
// The JSON that the executor of MSCCL++ loads; docs/MscclppPlan.md lists the
// fields. One key is our own and ignored there: the `root` of a rooted collective,
// unless it is rank 0. What this model has not, such as port channels, is refused
// by name.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_JSON_H
#define CCL_MSCCLPP_JSON_H

#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// Whether \p text is JSON that says `gpus` before it says `format`, as plans of
/// our own do.
bool looksLikePlan(StringRef text);

/// Reports syntax, unknown keys and structural errors at line and column.
FailureOr<Plan> readJson(StringRef text, StringRef fileName, DiagnosticEngine &diags);

void writeJson(const Plan &plan, raw_ostream &os);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_JSON_H
