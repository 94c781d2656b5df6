#include "cclc/Support/Streams.h"

#include "cclc/Support/ExitCode.h"
#include "cclc/Support/Temporary.h"

#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>

using namespace cclc;

void cclc::openStandardStreams() {
  // The other way round than they are used, so that writing to descriptor 1 fails as
  // before. Messages without a reader are discarded.
  constexpr int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) < 0)
      endProcess(static_cast<int>(ExitCode::Unusable));
  // A write to a pipe that nothing reads fails instead of ending the tool. Programs that
  // the tool starts have the default again, which SIG_IGN would not give them.
  struct sigaction action{};
  action.sa_flags = SA_RESTART;
  action.sa_handler = [](int) {};
  sigaction(SIGPIPE, &action, nullptr);
}

LogicalResult cclc::finishStream(llvm::raw_fd_ostream &os, const llvm::Twine &what,
                                 DiagnosticEngine &diags) {
  os.flush();
  if (!os.has_error())
    return success();
  std::error_code why = os.error();
  os.clear_error();
  // A reader that has seen enough, such as head, is no news to its user.
  if (why == std::errc::broken_pipe)
    return failure();
  return diags.error({}, "cannot write " + what + ": " + why.message());
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
