//===- UserProgram.h - Loading users' programs ------------------*- C++ -*-===//

#ifndef CCL_USERPROGRAMS_USERPROGRAM_H
#define CCL_USERPROGRAMS_USERPROGRAM_H

#include "cclc/DSL/Declaration.h"
#include "cclc/Support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace cclc {

/// Limits and reporting for the code of a user's program.
struct UserCodeOptions {
  unsigned seconds = 60;                ///< time limit of each part of the program
  MessageForm form = MessageForm::Text; ///< in which an abnormal end is reported
  /// The status with which the process then exits; null: EXIT_FAILURE.
  int (*exitStatus)(Failure) = nullptr;
  /// Whether crashes, exits and time limits end the process with a message. Without it the code is
  /// called as it is, by several threads at a time.
  bool isGuarded = true;
};

/// Whether \p name is the path of a C++ or Python file or a shared object rather than the name of a
/// bundled program.
bool isUserProgram(StringRef name);

/// Loads a shared object, executes a Python file by the module of Python in the prefix of \p
/// includeDir, or compiles a C++ file with the system compiler ($CXX, else c++) against
/// the headers in \p includeDir and loads the result. Objects are cached in the user's cache folder
/// and reused while the compiler and all files that it reads are unchanged. The object stays loaded
/// until the tool ends. Sets \p read to the files of the program.
std::optional<dsl::Declaration> loadUserProgram(StringRef path, StringRef includeDir,
                                                const UserCodeOptions &options,
                                                std::vector<std::string> &read,
                                                DiagnosticEngine &diags);

/// A hash of the contents of \p files, those that loadUserProgram() has read.
std::string versionOf(ArrayRef<std::string> files);

} // namespace cclc

#endif // CCL_USERPROGRAMS_USERPROGRAM_H
