#include "ProcessState.h"

#include "cclc/Support/MemoryBudget.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <fcntl.h>
#include <unistd.h>

using namespace cclc;

/// The private memory of the process that the limit RLIMIT_DATA counts (proc(5), statm).
static std::optional<uint64_t> dataOfProcess() {
  char text[256];
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  ssize_t size = file < 0 ? -1 : read(file, text, sizeof(text));
  close(file);
  SmallVector<StringRef, 8> fields;
  StringRef(text, size_t(std::max<ssize_t>(size, 0))).split(fields, ' ');
  uint64_t pages;
  if (fields.size() < 6 || fields[5].getAsInteger(10, pages))
    return std::nullopt;
  return pages * uint64_t(sysconf(_SC_PAGESIZE));
}

ProcessState::ProcessState()
    : folder(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)),
      error(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  getrlimit(RLIMIT_DATA, &data);
  const uint64_t allowed = MemoryBudget::limit().count();
  if (std::optional<uint64_t> used = dataOfProcess(); used && *used + allowed < data.rlim_cur) {
    rlimit lower{*used + allowed, data.rlim_max};
    setrlimit(RLIMIT_DATA, &lower);
  }
}

ProcessState::~ProcessState() {
  setrlimit(RLIMIT_DATA, &data);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  if (folder >= 0) {
    int changed = fchdir(folder); // fails if the folder is gone
    (void)changed;
    close(folder);
  }
  if (fcntl(STDERR_FILENO, F_GETFD) < 0)
    dup2(error, STDERR_FILENO);
  close(error);
}
