//===- Interrupts.cpp - Signal handling -----------------------------------===//
//
// The handler itself uses only async-signal-safe calls (POSIX, signal-safety(7)): kill, waitpid,
// unlink, rmdir and exit_group on static data. Work that needs more, such as saving a partial
// result, runs in the thread of an InterruptScope, which reads from a pipe that the handler writes
// to: the self-pipe trick (D. J. Bernstein). An atomic exchange of the pipe's descriptor ensures
// that only one of the handler and the end of the scope takes it.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/Interrupts.h"

#include "cclc/Support/Streams.h"
#include "cclc/Support/Temporary.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cclc;

namespace {
/// A signal handler can access static data only.
std::atomic<pid_t> runningGroup;
std::atomic<int> toScope = -1; ///< pipe to the current scope's thread; -1 after a signal

[[noreturn]] void endByInterrupt(int signal) {
  if (pid_t group = runningGroup) {
    kill(-group, SIGTERM); // on which compilers remove their temporary files
    while (waitpid(group, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  removeTemporaries();
  endCapturedError(/*print=*/true);
  endProcess(128 + signal);
}

void onInterrupt(int signal) {
  const int before = errno;
  int pipe = toScope.exchange(-1);
  auto number = static_cast<unsigned char>(signal);
  if (pipe < 0 || write(pipe, &number, 1) != 1)
    endByInterrupt(signal);
  errno = before;
}
} // namespace

void cclc::catchInterrupts() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action{};
    // A shell that starts a tool in the background may have set the signal to be ignored.
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
      continue;
    action = {};
    action.sa_flags = SA_RESTART;
    action.sa_handler = onInterrupt;
    sigaction(signal, &action, nullptr);
  }
}

void cclc::setRunningGroup(pid_t group) { runningGroup = group; }

InterruptScope::InterruptScope(std::function<void()> save) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    return;
  waiting = std::thread([from = ends[0], save = std::move(save)] {
    unsigned char signal;
    ssize_t got;
    while ((got = read(from, &signal, 1)) < 0 && errno == EINTR) {
    }
    if (got == 1) {
      save();
      endByInterrupt(signal);
    }
    close(from);
  });
  toScope = ends[1];
}

InterruptScope::~InterruptScope() {
  // If the descriptor is gone, a handler has taken it, and the thread will end the process.
  if (int pipe = toScope.exchange(-1); pipe >= 0)
    close(pipe);
  if (waiting.joinable())
    waiting.join();
}
