//===- Json.h - Files of execution plans of MSCCL++ -------------*- C++ -*-===//
//
// The JSON that the executor of MSCCL++ loads; docs/MscclppPlan.md lists the fields. One key is an
// extension that the executor ignores: the `root` of a rooted collective, unless it is rank 0.
// Valid features that the model does not have, such as port channels, are rejected by name.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_JSON_H
#define CCL_MSCCLPP_JSON_H

#include "cclc/Mscclpp/Plan.h"
#include "cclc/Proof/Verdict.h"

namespace cclc::mscclpp {

/// Whether \p text is JSON with the key `gpus` before the key `format`, which cclc's own format
/// begins with.
bool looksLikePlan(StringRef text);

/// Reports syntax, unknown keys and structural errors at line and column. \p why distinguishes
/// malformed files from unsupported features.
FailureOr<Plan> readJson(StringRef text, StringRef fileName, DiagnosticEngine &diags,
                         Verdict *why = nullptr);

void writeJson(const Plan &plan, raw_ostream &os);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_JSON_H
