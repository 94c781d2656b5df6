#include "cclc/Support/Subprocess.h"

#include "cclc/Support/Interrupts.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cclc;

/// The program gets its own process group, so that the tool can terminate it together with its
/// children.
static int spawn(pid_t &child, ArrayRef<std::string> arguments, const std::string &out,
                 const std::string &errors) {
  std::vector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int create = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), create, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, errors.c_str(), create, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  // Signals are blocked from the start of the program until its group is recorded.
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  posix_spawnattr_setsigmask(&attributes, &before);
  int error = posix_spawn(&child, argv[0], &files, &attributes, argv.data(), environ);
  if (error == 0)
    setRunningGroup(child);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

ProgramResult cclc::runProgram(ArrayRef<std::string> arguments, const std::string &out,
                               const std::string &errors) {
  pid_t child = 0;
  if (int error = spawn(child, arguments, out, errors))
    return {-1, std::strerror(error)};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  setRunningGroup(0);
  if (WIFSIGNALED(status))
    return {-1, strsignal(WTERMSIG(status))};
  return {WEXITSTATUS(status), ""};
}
