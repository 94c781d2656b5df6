//===- FailureTable.h - Bounds without one part of a machine ----*- C++ -*-===//

#ifndef CCL_TOOLS_FAILURETABLE_H
#define CCL_TOOLS_FAILURETABLE_H

#include "cclc/Tools/BoundTable.h"
#include "cclc/Views/Report/Failures.h"

namespace cclc {

/// Bounds the collective of \p request, at its first size, without each part of the kind
/// \p without. Fails with Wrong if there is no path with all parts.
std::optional<FailureTable> boundFailures(const BoundTableRequest &request, PartKind without,
                                          DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_FAILURETABLE_H
