//===- UserProgram.h - Programs in files of the user's own ------*- C++ -*-===//

#ifndef CCL_DRIVER_USERPROGRAM_H
#define CCL_DRIVER_USERPROGRAM_H

#include "cclc/DSL/Declaration.h"
#include "cclc/Support/Diagnostics.h"

#include <optional>

namespace cclc {

/// Whether \p name is the path of a C++ file or a shared object rather than the
/// name of a bundled program.
bool isUserProgram(StringRef name);

/// Loads a shared object, or compiles a C++ file with the system compiler ($CXX,
/// else c++) against the headers in \p includeDir and loads the result. Objects
/// are kept in the user's cache folder and used again while source, included
/// files and flags are the same. The object stays loaded until the tool ends.
std::optional<dsl::Declaration> loadUserProgram(StringRef path, StringRef includeDir,
                                                DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_DRIVER_USERPROGRAM_H
