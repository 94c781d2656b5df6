//===- TargetText.h - Machines of texts that are no files -------*- C++ -*-===//

#ifndef CCL_TOOLS_CCLC_TARGETTEXT_H
#define CCL_TOOLS_CCLC_TARGETTEXT_H

#include "cclc/Target/Loader.h"

namespace cclc {

/// Loads the machine of a target whose text is \p target, with \p overrides.
FailureOr<Machine> loadTargetText(const std::string &target, DiagnosticEngine &diags,
                                  ArrayRef<TargetOverride> overrides = {});

} // namespace cclc

#endif // CCL_TOOLS_CCLC_TARGETTEXT_H
