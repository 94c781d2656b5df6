//===- Streams.cpp - Standard input, output and error ---------------------===//
//
// Output to a descriptor is diverted by dup2(), so that it is diverted for child processes and for
// code of users as well. Captured output is in a file without a name (memfd_create(2)), which has
// no limit, unlike a pipe, and which a signal handler can copy to standard error.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/Streams.h"

#include "cclc/Support/Temporary.h"

#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <sys/mman.h>
#include <unistd.h>

using namespace cclc;

bool cclc::errorsTakeEscapes() {
  const char *terminal = std::getenv("TERM");
  return terminal && *terminal && std::strcmp(terminal, "dumb") != 0 && isatty(STDERR_FILENO);
}

LogicalResult cclc::openStandardStreams() {
  // Each mode is the opposite of the use of the descriptor, except for stderr: writing to
  // descriptor 1 still fails, and messages are discarded.
  constexpr int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) < 0)
      return failure();
  // A write to a pipe without a reader, or beyond the limit of a file's size, fails instead of
  // ending the tool. A handler is used because, unlike SIG_IGN, it is reset to the default in child
  // processes.
  struct sigaction action{};
  action.sa_flags = SA_RESTART;
  action.sa_handler = [](int) {};
  sigaction(SIGPIPE, &action, nullptr);
  sigaction(SIGXFSZ, &action, nullptr);
  return success();
}

LogicalResult cclc::finishStream(llvm::raw_fd_ostream &os, const llvm::Twine &what,
                                 DiagnosticEngine &diags) {
  os.flush();
  if (!os.has_error())
    return success();
  std::error_code why = os.error();
  os.clear_error();
  // A reader such as head closes the pipe deliberately: no message.
  if (why == std::errc::broken_pipe)
    return failure();
  return diags.error({}, "cannot write " + what + ": " + why.message());
}

/// Standard error while its output is captured; -1: it is not. A signal handler can access static
/// data only.
static std::atomic<int> capturedError = -1;

void cclc::captureStandardError() {
  int kept = memfd_create("cclc-stderr", MFD_CLOEXEC);
  if (kept < 0)
    return;
  capturedError = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  dup2(kept, STDERR_FILENO);
  close(kept);
}

/// Calls fn(bytes) for blocks of the captured output, and restores standard error, whose
/// descriptor is \p original, before.
template <class Fn> static void endCapture(int original, Fn fn) {
  int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  dup2(original, STDERR_FILENO);
  close(original);
  char block[4096];
  off_t at = 0;
  for (ssize_t size; (size = pread(kept, block, sizeof(block), at)) > 0; at += size)
    fn(StringRef(block, size_t(size)));
  close(kept);
}

std::string cclc::takeCapturedError() {
  std::string text;
  if (int original = capturedError.exchange(-1); original >= 0)
    endCapture(original, [&](StringRef block) { text += block; });
  return text;
}

void cclc::endCapturedError(bool print) {
  if (int original = capturedError.exchange(-1); original >= 0)
    endCapture(original, [&](StringRef block) {
      ssize_t written = print ? write(STDERR_FILENO, block.data(), block.size()) : 0;
      (void)written;
    });
}

DivertedStdout::DivertedStdout() {
  llvm::outs().flush();
  saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

DivertedStdout::~DivertedStdout() {
  std::cout.flush();
  std::fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved);
}
