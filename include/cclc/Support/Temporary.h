//===- Temporary.h - Temporary files and folders ----------------*- C++ -*-===//

#ifndef CCL_SUPPORT_TEMPORARY_H
#define CCL_SUPPORT_TEMPORARY_H

#include "cclc/Support/Diagnostics.h"

#include <string>

namespace cclc {

/// The name of a file or folder that is removed by the destructor, or when a signal terminates the
/// tool. Files are removed before the folders that contain them.
class TemporaryPath {
public:
  explicit TemporaryPath(std::string path);
  /// Makes a name that no file has: \p begin, random digits, \p end.
  TemporaryPath(StringRef begin, StringRef end);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath &) = delete;
  TemporaryPath &operator=(const TemporaryPath &) = delete;

  const std::string &str() const { return path; }
  /// Disables the removal, for a file that was renamed or is to be kept.
  void keep();

private:
  std::string path;
  size_t slot; ///< in the table of the signal handler
};

/// A new folder for this user only.
class TemporaryFolder {
public:
  TemporaryFolder();
  LogicalResult create(DiagnosticEngine &diags) const;
  /// The name of a file in it.
  std::string operator/(StringRef name) const;

private:
  TemporaryPath path;
};

/// Removes all temporary files and folders, for a tool that exits without running destructors.
/// Async-signal-safe.
void removeTemporaries();

/// Ends the process immediately, as _exit() does, which is replaced to reject calls from users'
/// programs. Async-signal-safe.
[[noreturn]] void endProcess(int code);

} // namespace cclc

#endif // CCL_SUPPORT_TEMPORARY_H
