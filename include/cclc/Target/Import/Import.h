//===- Import.h - Targets from descriptions of other tools ------*- C++ -*-===//

#ifndef CCL_TARGET_IMPORT_IMPORT_H
#define CCL_TARGET_IMPORT_IMPORT_H

#include "cclc/Support/Diagnostics.h"

#include <optional>
#include <string>

namespace cclc {

/// Converts \p text, a network file of the analytical model of ASTRA-sim (YAML), to the text of a
/// target with the name \p name. \p file names the text in messages. Keys that a target cannot
/// express are ignored with a warning.
FailureOr<std::string> importAstraNetwork(StringRef text, StringRef file, StringRef name,
                                          DiagnosticEngine &diags);

/// Converts \p text, a topology file of NCCL (XML), in the same way. Values that the file does not
/// have are listed in the target as assumptions, under the comment key "// assumptions". With
/// \p nodes the target has this number of such servers, connected by their NICs.
FailureOr<std::string> importNcclTopology(StringRef text, StringRef file, StringRef name,
                                          std::optional<uint32_t> nodes, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TARGET_IMPORT_IMPORT_H
