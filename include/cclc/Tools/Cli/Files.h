//===- Files.h - Conflicts among files of a command line --------*- C++ -*-===//

#ifndef CCL_TOOLS_CLI_FILES_H
#define CCL_TOOLS_CLI_FILES_H

#include "cclc/Support/OutputFile.h"

#include <optional>
#include <string>
#include <vector>

namespace cclc {

/// The files of a command line, which may refer to the same file by several paths and links.
class NamedFiles {
public:
  /// \p option names the file in messages, such as "--json". An unset path is ignored.
  void input(StringRef option, const std::optional<std::string> &path);
  void output(StringRef option, const std::optional<std::string> &path);
  /// Adds the file of a target, which is in \p targetDir if it is bundled, and the files of its
  /// bases.
  void target(const std::optional<std::string> &nameOrFile, StringRef targetDir);

  /// Reports two outputs to the same file, or an output that would overwrite an input. Terminals
  /// and /dev/null are exempt.
  LogicalResult check(DiagnosticEngine &diags) const;

private:
  struct File {
    std::string option, path;
    bool isOutput;
    std::string identity; ///< equal for the same file; empty for exempt files
  };
  void add(StringRef option, const std::optional<std::string> &path, bool isOutput);
  std::vector<File> files;
};

} // namespace cclc

#endif // CCL_TOOLS_CLI_FILES_H
