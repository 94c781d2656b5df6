//===- UserCompiler.h - From a C++ file to a shared object ------*- C++ -*-===//

#ifndef CCL_LIB_FRONTEND_USERCOMPILER_H
#define CCL_LIB_FRONTEND_USERCOMPILER_H

#include "cclc/Support/Temporary.h"

#include "cclc/Support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace cclc {

/// The system's C++ compiler ($CXX, which may have arguments, else c++) and how it is
/// called for one file.
class UserCompiler {
public:
  UserCompiler(StringRef source, StringRef headers, DiagnosticEngine &diags)
      : source(source), headers(headers), diags(diags) {}

  /// The path of an object that is up to date, compiled or from the cache; it may be removed
  /// with this compiler. Empty on failure.
  std::string run();
  /// The files that the compiler reads, once it has run.
  ArrayRef<std::string> files() const { return read; }

private:
  LogicalResult findCompiler();
  /// Stands for all that the object depends on. Nothing where the preprocessor fails, or the
  /// compiler reads files that the preprocessor does not.
  std::optional<std::string> key();
  LogicalResult compile(const std::string &object);
  void explainFailure(const std::string &why);
  std::string cacheName() const;

  std::string source, headers;
  DiagnosticEngine &diags;
  std::string shown; ///< the compiler, as the user names it
  std::vector<std::string> command, read;
  TemporaryFolder folder;
  TemporaryPath made{folder / "program.so"}, printed{folder / "printed"},
      messages{folder / "messages"};
};

} // namespace cclc

#endif // CCL_LIB_FRONTEND_USERCOMPILER_H
