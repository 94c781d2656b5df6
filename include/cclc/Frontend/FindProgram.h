//===- FindProgram.h - What PROGRAM names -----------------------*- C++ -*-===//

#ifndef CCL_FRONTEND_FINDPROGRAM_H
#define CCL_FRONTEND_FINDPROGRAM_H

#include "cclc/DSL/Registry.h"
#include "cclc/Frontend/UserProgram.h"
#include "cclc/Support/Diagnostics.h"

#include <optional>

namespace cclc {

/// The program that \p name stands for: a bundled one, or one of the user's own
/// (cclc/Frontend/UserProgram.h), whose code runs with \p options. \p read gets the
/// files that it is made of.
std::optional<dsl::Declaration> findProgram(StringRef name, const dsl::ProgramRegistry &bundled,
                                            StringRef includeDir, const UserCodeOptions &options,
                                            std::vector<std::string> &read,
                                            DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_FRONTEND_FINDPROGRAM_H
