//===- InputFile.cpp - Files, pipes and devices ---------------------------===//
//
// A regular file is opened as a memory buffer after its size has been charged to the memory
// budget. Everything else is read in blocks that double from 64 KiB to 16 MiB, each charged
// before it is allocated, up to 1 GiB from a pipe and 16 MiB from a device: /dev/zero ends
// with an error instead of filling the memory.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/InputFile.h"

#include "cclc/Support/Compression.h"
#include "cclc/Support/MemoryBudget.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace cclc;
using llvm::MemoryBuffer;
namespace fs = llvm::sys::fs;

/// Limits for a device, and for a pipe, socket or terminal.
static constexpr Bytes deviceLimit(uint64_t(16) << 20), pipeLimit(uint64_t(1) << 30);

FailureOr<std::unique_ptr<MemoryBuffer>> cclc::readInput(StringRef path, const llvm::Twine &shown,
                                                         DiagnosticEngine &diags) {
  auto cannot = [&](const llvm::Twine &why) {
    return diags.error({}, "cannot read " + shown + ": " + why);
  };
  int fd = STDIN_FILENO;
  if (path != "-")
    if (std::error_code error = fs::openFileForRead(path, fd))
      return cannot(error.message());
  auto close = llvm::make_scope_exit([&] {
    if (fd != STDIN_FILENO)
      ::close(fd);
  });
  struct stat status;
  if (fstat(fd, &status) != 0)
    return cannot(std::strerror(errno));
  MemoryBudget::Work work("reading the input");
  if (S_ISREG(status.st_mode) && fd != STDIN_FILENO) {
    // The pages of a mapped file are not allocated by operator new, but they take memory.
    MemoryBudget::require(Bytes(status.st_size));
    auto buffer = MemoryBuffer::getOpenFile(fd, path, /*FileSize=*/-1);
    if (!buffer)
      return cannot(buffer.getError().message());
    return decompressed(std::move(*buffer), shown, diags);
  }
  const bool isDevice = S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode);
  const uint64_t limit = S_ISREG(status.st_mode) ? ~uint64_t(0)
                         : isDevice              ? deviceLimit.count()
                                                 : pipeLimit.count();
  SmallVector<char, 0> text;
  for (size_t chunk = 1 << 16;; chunk = std::min<size_t>(2 * chunk, 1 << 24)) {
    size_t before = text.size();
    MemoryBudget::require(Bytes(before + chunk));
    text.resize_for_overwrite(before + chunk);
    ssize_t more = ::read(fd, text.data() + before, chunk);
    if (more < 0 && errno != EINTR)
      return cannot(std::strerror(errno));
    text.truncate(before + std::max<ssize_t>(more, 0));
    if (more == 0)
      return decompressed(std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(text), path),
                          shown, diags);
    if (text.size() > limit)
      return cannot("more than " + sizeText(Bytes(limit)) +
                    (isDevice ? " from a device" : " from a pipe; write it to a file first"));
  }
}
