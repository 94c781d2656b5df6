//===- Interrupts.h - Signals that end a tool from outside ------*- C++ -*-===//

#ifndef CCL_SUPPORT_INTERRUPTS_H
#define CCL_SUPPORT_INTERRUPTS_H

#include <sys/types.h>

#include <functional>
#include <thread>

namespace cclc {

/// Installs handlers for the signals that terminate a tool. On signal N the handler terminates the
/// process that the tool waits for, removes temporary files and exits with code 128 + N: 130 on
/// SIGINT.
void catchInterrupts();

/// Sets the process group that the signal handler terminates; 0 for none.
void setRunningGroup(pid_t group);

/// During its lifetime, an interrupt first calls \p save in a separate thread, while the other
/// threads continue. A second interrupt ends the tool immediately. Scopes do not nest.
class InterruptScope {
public:
  explicit InterruptScope(std::function<void()> save);
  /// Does not return after an interrupt.
  ~InterruptScope();
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

private:
  std::thread waiting; ///< not running if the pipe could not be opened
};

} // namespace cclc

#endif // CCL_SUPPORT_INTERRUPTS_H
