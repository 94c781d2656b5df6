//===- Temporary.cpp - Removal at exit and on signals ---------------------===//
//
// The paths are kept in a static array of 64 atomic pointers that a signal handler can read
// without locks or allocation. A TemporaryPath takes a free entry by compare-and-exchange;
// with none free, only its destructor removes it. removeTemporaries() unlinks files first and
// then removes folders, so that a folder of temporary files is empty.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/Temporary.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <array>
#include <atomic>
#include <cstring>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace cclc;

namespace {
/// A signal handler can access static data only, and may call neither malloc nor free.
std::array<std::atomic<const char *>, 64> temporaries;

std::string withRandomDigits(StringRef begin, StringRef end) {
  llvm::SmallString<16> digits;
  do {
    llvm::sys::fs::createUniquePath("%%%%%%%%", digits, /*MakeAbsolute=*/false);
  } while (llvm::sys::fs::exists(begin + digits + end));
  return (begin + digits + end).str();
}
} // namespace

void cclc::removeTemporaries() {
  for (const auto &path : temporaries)
    if (const char *name = path)
      unlink(name);
  for (const auto &path : temporaries)
    if (const char *name = path)
      rmdir(name);
}

void cclc::endProcess(int code) {
  for (;;)
    syscall(SYS_exit_group, code);
}

TemporaryPath::TemporaryPath(std::string path) : path(std::move(path)) {
  const char *none = nullptr;
  for (slot = 0; slot < temporaries.size(); ++slot)
    if (temporaries[slot].compare_exchange_strong(none, this->path.c_str()))
      return;
    else
      none = nullptr;
}

TemporaryPath::TemporaryPath(StringRef begin, StringRef end)
    : TemporaryPath(withRandomDigits(begin, end)) {}

void TemporaryPath::keep() {
  if (slot < temporaries.size())
    temporaries[slot] = nullptr;
  slot = temporaries.size();
  path.clear();
}

TemporaryPath::~TemporaryPath() {
  if (!path.empty())
    ::remove(path.c_str());
  keep();
}

static std::string inTemporaryFolder() {
  llvm::SmallString<128> path;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, path);
  llvm::sys::path::append(path, "cclc-");
  return path.str().str();
}

TemporaryFolder::TemporaryFolder() : path(inTemporaryFolder(), "") {}

LogicalResult TemporaryFolder::create(DiagnosticEngine &diags) const {
  if (mkdir(path.str().c_str(), 0700) == 0)
    return success();
  return diags.error({}, "cannot create the folder '" + path.str() + "': " + std::strerror(errno) +
                             "; set TMPDIR to another folder");
}

std::string TemporaryFolder::operator/(StringRef name) const {
  return path.str() + "/" + name.str();
}
