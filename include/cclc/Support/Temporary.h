//===- Temporary.h - Files that do not outlive the tool ---------*- C++ -*-===//

#ifndef CCL_SUPPORT_TEMPORARY_H
#define CCL_SUPPORT_TEMPORARY_H

#include "cclc/Support/Diagnostics.h"

#include <string>

namespace cclc {

/// The name of a file or folder that is removed with this object, or when a signal ends
/// the tool: folders once what was made in them is removed.
class TemporaryPath {
public:
  explicit TemporaryPath(std::string path);
  /// A name that no file has: \p begin, some random digits, \p end.
  TemporaryPath(StringRef begin, StringRef end);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath &) = delete;
  TemporaryPath &operator=(const TemporaryPath &) = delete;

  const std::string &str() const { return path; }
  /// The file has got another name, or is to stay.
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

/// Removes what is temporary, for a tool that ends without leaving its functions. May be called
/// by a signal handler.
void removeTemporaries();

/// Ends the process at once, as _exit() does, which users' programs must not call. May be called
/// by a signal handler.
[[noreturn]] void endProcess(int code);

} // namespace cclc

#endif // CCL_SUPPORT_TEMPORARY_H
