//===- AstraSystem.h - System files of ASTRA-sim ----------------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_IMPORT_ASTRASYSTEM_H
#define CCL_LIB_TARGET_IMPORT_ASTRASYSTEM_H

#include "JsonText.h"

#include "cclc/Target/Import/Import.h"

namespace cclc {

/// Adds what a target can express of \p file to \p target. Other keys are ignored with a warning.
LogicalResult addAstraSystem(const ForeignFile &file, nlohmann::ordered_json &target,
                             DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_TARGET_IMPORT_ASTRASYSTEM_H
