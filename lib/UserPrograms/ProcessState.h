//===- ProcessState.h - The state of the process ----------------*- C++ -*-===//

#ifndef CCL_LIB_USERPROGRAMS_PROCESSSTATE_H
#define CCL_LIB_USERPROGRAMS_PROCESSSTATE_H

#include <csignal>
#include <sys/resource.h>

namespace cclc {

/// Restores at its end what code of a user's program may have changed: the working folder, in which
/// the tool writes its outputs, the blocked signals of the thread, and standard error, which it may
/// have closed. Until then, malloc() fails beyond the limit of the tool's memory, which otherwise
/// holds for operator new only, so that the program cannot use up the memory of the machine.
class ProcessState {
public:
  ProcessState();
  ~ProcessState();
  ProcessState(const ProcessState &) = delete;
  ProcessState &operator=(const ProcessState &) = delete;

private:
  int folder, error; ///< descriptors
  sigset_t blocked;
  rlimit data;
};

} // namespace cclc

#endif // CCL_LIB_USERPROGRAMS_PROCESSSTATE_H
