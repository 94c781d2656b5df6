//===- UserCode.h - Running code of a user's program ------------*- C++ -*-===//
//
// A user's program is C++ under development: it may crash, throw, print, call exit(), or loop
// forever. While its code runs, its output goes to stderr, and any abnormal end is reported by one
// message, at the last line with a DSL call that it has reached.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_USERPROGRAMS_USERCODE_H
#define CCL_USERPROGRAMS_USERCODE_H

#include "cclc/Support/Streams.h"

#include "cclc/DSL/Trace.h"
#include "cclc/UserPrograms/UserProgram.h"

#include <csignal>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace cclc {

/// The program whose code runs, and its limits.
struct UserCode {
  std::string name; ///< "program 'ring'"
  std::string file; ///< file of a user's program; empty for a bundled one, whose crash is an
                    ///< internal error
  UserCodeOptions options;
};

class ProcessState;
class Watchdog;

/// The scope in which such code runs. Signals, descriptor 1 and the working folder belong to the
/// process, so a scope waits until those of other threads have ended.
class UserCodeScope {
public:
  /// A scope for the body, whose progress is in \p reached.
  UserCodeScope(const UserCode &code, const dsl::TraceCursor &reached)
      : UserCodeScope(code, "", &reached) {}
  /// A scope for another part of the program, which \p where names in messages: "in its
  /// declaration".
  UserCodeScope(const UserCode &code, const char *where) : UserCodeScope(code, where, nullptr) {}
  ~UserCodeScope();
  UserCodeScope(const UserCodeScope &) = delete;
  UserCodeScope &operator=(const UserCodeScope &) = delete;

private:
  UserCodeScope(const UserCode &code, const char *where, const dsl::TraceCursor *reached);

  std::unique_lock<std::mutex> alone; ///< released last
  std::unique_ptr<ProcessState> state;
  DivertedStdout diverted;
  std::vector<std::pair<int, struct sigaction>> before; ///< previous actions, by signal
  std::unique_ptr<Watchdog> watch;
};

/// Runs \p run in such a scope. An exception is reported as an error.
LogicalResult runUserCode(const UserCode &code, const char *where, llvm::function_ref<void()> run,
                          DiagnosticEngine &diags);

/// Prepares for the code that a loaded program runs when it is unloaded at the end of the tool,
/// from beginUnloading() on.
void expectUnloading(const UserCode &code);
void beginUnloading();

} // namespace cclc

#endif // CCL_USERPROGRAMS_USERCODE_H
