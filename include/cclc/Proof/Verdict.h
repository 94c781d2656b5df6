//===- Verdict.h - The result of verification -------------------*- C++ -*-===//

#ifndef CCL_PROOF_VERDICT_H
#define CCL_PROOF_VERDICT_H

#include "cclc/Support/Diagnostics.h"

namespace cclc {

/// From best to worst. If there are several failures, the worst is reported. Unsupported denotes a
/// valid plan with a feature or a size that the verifier does not handle.
enum class Verdict : uint8_t { Ok, WrongResult, Race, Deadlock, Illegal, Unsupported, Malformed };
/// "ok", "wrong-result", "race", "deadlock", "illegal", "unsupported", "malformed".
StringRef verdictName(Verdict verdict);
/// Of a verdict other than Ok: a plan with an unsupported feature or size is not wrong.
Failure failureOf(Verdict verdict);

} // namespace cclc

#endif // CCL_PROOF_VERDICT_H
