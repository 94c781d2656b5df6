//===- UserProgram.h - Programs in files of the user's own ------*- C++ -*-===//

#ifndef CCL_FRONTEND_USERPROGRAM_H
#define CCL_FRONTEND_USERPROGRAM_H

#include "cclc/DSL/Declaration.h"
#include "cclc/Support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace cclc {

/// How code of a user's program runs.
struct UserCodeOptions {
  unsigned seconds = 60; ///< that each part of it may take
  /// What ends it is reported as an annotation of GitHub Actions.
  bool github = false;
};

/// Whether \p name is the path of a C++ file or a shared object rather than the
/// name of a bundled program.
bool isUserProgram(StringRef name);

/// Loads a shared object, or compiles a C++ file with the system compiler ($CXX,
/// else c++) against the headers in \p includeDir and loads the result. Objects
/// are kept in the user's cache folder and used again while all that the compiler
/// reads, and the compiler itself, are the same. The object stays loaded until the tool ends.
/// \p read gets the files that the program is made of.
std::optional<dsl::Declaration> loadUserProgram(StringRef path, StringRef includeDir,
                                                const UserCodeOptions &options,
                                                std::vector<std::string> &read,
                                                DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_FRONTEND_USERPROGRAM_H
