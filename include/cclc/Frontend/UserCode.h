//===- UserCode.h - Running code of a user's program ------------*- C++ -*-===//
//
// A program is C++ that is still being worked on: it may crash, throw, print, call
// exit(), or not end. While its code runs, what it prints goes to stderr, and what
// would end it ends the tool with one message, at the last line of the DSL that it
// has reached.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FRONTEND_USERCODE_H
#define CCL_FRONTEND_USERCODE_H

#include "cclc/Support/Streams.h"

#include "cclc/DSL/Trace.h"
#include "cclc/Frontend/UserProgram.h"

#include <csignal>
#include <string>
#include <vector>

namespace cclc {

/// Whose code runs, and what it may.
struct UserCode {
  std::string name; ///< "program 'ring'"
  std::string file; ///< of the user's; empty for a bundled program, whose crash is ours
  UserCodeOptions options;
};

/// While it lives, such code runs.
class UserCodeScope {
public:
  /// The body, which tells how far it is.
  UserCodeScope(const UserCode &code, const dsl::TraceCursor &reached)
      : UserCodeScope(code, "", &reached) {}
  /// Another part of the program. \p where says for messages which: "in its declaration".
  UserCodeScope(const UserCode &code, const char *where) : UserCodeScope(code, where, nullptr) {}
  ~UserCodeScope();
  UserCodeScope(const UserCodeScope &) = delete;
  UserCodeScope &operator=(const UserCodeScope &) = delete;

private:
  UserCodeScope(const UserCode &code, const char *where, const dsl::TraceCursor *reached);

  DivertedStdout diverted;
  std::vector<std::pair<int, struct sigaction>> before; ///< actions, by signal
};

/// Runs \p run in such a scope. An exception is an error.
LogicalResult runUserCode(const UserCode &code, const char *where, llvm::function_ref<void()> run,
                          DiagnosticEngine &diags);

/// Code of a program that has been loaded runs once more, as it is unloaded when the tool ends:
/// which is from beginUnloading() on.
void expectUnloading(const UserCode &code);
void beginUnloading();

} // namespace cclc

#endif // CCL_FRONTEND_USERCODE_H
