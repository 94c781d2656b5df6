//===- Files.h - Files that a command line names ----------------*- C++ -*-===//

#ifndef CCL_CLI_FILES_H
#define CCL_CLI_FILES_H

#include "cclc/Support/OutputFile.h"

#include <optional>
#include <string>
#include <vector>

namespace cclc {

/// The files of a command line, which may name one file by several paths and links.
class NamedFiles {
public:
  /// \p option is what messages call it, such as "--json". Files that are not named are not
  /// added.
  void input(StringRef option, const std::optional<std::string> &path);
  void output(StringRef option, const std::optional<std::string> &path);
  /// The file of a target, bundled ones in \p targetDir, and those that it is based on.
  void target(const std::optional<std::string> &nameOrFile, StringRef targetDir);

  /// Reports two outputs to one file, or an output onto an input. A terminal or /dev/null may
  /// be written twice.
  LogicalResult check(DiagnosticEngine &diags) const;

private:
  struct File {
    std::string option, path;
    bool isOutput;
    std::string identity; ///< equal for equal files, and empty where that does not matter
  };
  void add(StringRef option, const std::optional<std::string> &path, bool isOutput);
  std::vector<File> files;
};

} // namespace cclc

#endif // CCL_CLI_FILES_H
