//===- FindProgram.h - Finding programs by name -----------------*- C++ -*-===//

#ifndef CCL_USERPROGRAMS_FINDPROGRAM_H
#define CCL_USERPROGRAMS_FINDPROGRAM_H

#include "cclc/DSL/Registry.h"
#include "cclc/Support/Diagnostics.h"
#include "cclc/UserPrograms/UserProgram.h"

#include <optional>

namespace cclc {

/// The error about a \p name that is none of \p names: the programs of a collective of that name,
/// or the most similar one.
std::string unknownProgram(StringRef name, ArrayRef<std::string> names,
                           const dsl::ProgramRegistry &registry);

/// Finds the program \p name: a bundled one, or a user's program (cclc/UserPrograms/UserProgram.h),
/// whose code runs with \p options. Sets \p read to its files.
std::optional<dsl::Declaration> findProgram(StringRef name, const dsl::ProgramRegistry &bundled,
                                            StringRef includeDir, const UserCodeOptions &options,
                                            std::vector<std::string> &read,
                                            DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_USERPROGRAMS_FINDPROGRAM_H
