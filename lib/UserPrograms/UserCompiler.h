//===- UserCompiler.h - Compiling users' programs ---------------*- C++ -*-===//

#ifndef CCL_LIB_USERPROGRAMS_USERCOMPILER_H
#define CCL_LIB_USERPROGRAMS_USERCOMPILER_H

#include "cclc/Support/Temporary.h"

#include "cclc/Support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace cclc {

/// Invokes the system's C++ compiler ($CXX, which may include arguments, else c++) for one file.
class UserCompiler {
public:
  UserCompiler(StringRef source, StringRef headers, DiagnosticEngine &diags)
      : source(source), headers(headers), diags(diags) {}

  /// The path of an up-to-date object, compiled or copied from the cache, which is valid during the
  /// lifetime of this object. Empty on failure.
  std::string run();
  /// The files that the compiler reads; valid after run().
  ArrayRef<std::string> files() const { return read; }

private:
  LogicalResult findCompiler();
  /// A hash of all dependencies of the object. None if the preprocessor fails, or if the compiler
  /// reads files that the preprocessor does not.
  std::optional<std::string> key();
  LogicalResult compile(const std::string &object);
  void explainFailure(const std::string &why);
  std::string cacheName() const;

  std::string source, headers;
  DiagnosticEngine &diags;
  std::string shown; ///< the name of the compiler as given by the user
  std::vector<std::string> command, read;
  TemporaryFolder folder;
  TemporaryPath made{folder / "program.so"}, printed{folder / "printed"},
      messages{folder / "messages"};
};

} // namespace cclc

#endif // CCL_LIB_USERPROGRAMS_USERCOMPILER_H
