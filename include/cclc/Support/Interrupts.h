//===- Interrupts.h - Signals that end a tool from outside ------*- C++ -*-===//

#ifndef CCL_SUPPORT_INTERRUPTS_H
#define CCL_SUPPORT_INTERRUPTS_H

#include <sys/types.h>

#include <functional>
#include <thread>

namespace cclc {

/// Removes what is temporary and ends with exit code 128 + N on the signals N that end a
/// tool from outside: 130 on SIGINT. A process that the tool waits for is ended first.
void catchInterrupts();

/// Where the signal handler finds the process group to end; 0 for none.
void setRunningGroup(pid_t group);

/// While it lives, an interrupt first calls \p save, in a thread of its own while the others go
/// on; a second interrupt ends the tool at once. There is one scope at a time.
class InterruptScope {
public:
  explicit InterruptScope(std::function<void()> save);
  /// Does not return once an interrupt has come.
  ~InterruptScope();
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

private:
  std::thread waiting; ///< not running where there is no pipe for it
};

} // namespace cclc

#endif // CCL_SUPPORT_INTERRUPTS_H
