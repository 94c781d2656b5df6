//===- NodeMemory.cpp - Memory that processes of a node share -------------===//
//
// Processes exchange what they have tried, so that all know the same faults. A process that opens
// the file of another one compares its identity: in a container of its own, the number of the
// process may belong to a different one. Each allocates an equal part of the pages, which are then
// in the memory of its processor: parts of buffers and of slots are about those of the ranks.
//
//===----------------------------------------------------------------------===//

#include "NodeMemory.h"

#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Units.h"

#include "llvm/Support/FormatVariadic.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace cclc;
using namespace cclc::run;
using llvm::formatv;

/// What a process has tried, as bytes of a message.
struct NodeMemory::Attempt {
  enum class Fault : int32_t { None, Create, FileSize, Allocate, Map, Open, Other };
  Fault fault = Fault::None;
  int32_t error = 0; ///< of the operating system
  int32_t id = getpid();
  int32_t file = -1; ///< open in the process
  uint64_t device = 0, inode = 0, bytes = 0;

  Attempt failed(Fault with) const {
    Attempt result = *this;
    result.fault = with;
    result.error = errno;
    return result;
  }
  /// \p first: the process that makes the memory.
  std::string text(int rank, int first) const {
    const std::string reason = std::error_code(error, std::generic_category()).message();
    const std::string size = sizeText(Bytes(int64_t(bytes)));
    switch (fault) {
    case Fault::None:
      break;
    case Fault::Create:
      return formatv(
          "rank {0} cannot create shared memory ({1}): allow memfd_create, and more open "
          "files (ulimit -n)",
          rank, reason);
    case Fault::FileSize:
      return formatv(
          "rank {0} cannot share {1} of memory: raise the limit of file sizes (ulimit -f)", rank,
          size);
    case Fault::Allocate:
      return formatv("rank {0} cannot allocate {1} of shared memory ({2}): free memory of its node",
                     rank, size, reason);
    case Fault::Map:
      return formatv(
          "rank {0} cannot map {1} of shared memory ({2}): raise the limit of the address "
          "space (ulimit -v)",
          rank, size, reason);
    case Fault::Open:
    case Fault::Other:
      return formatv(
          "rank {0} cannot open the shared memory of rank {1} ({2}): run the processes of "
          "a node as one user and in one PID namespace",
          rank, first, fault == Fault::Other ? "it has another process there" : reason);
    }
    return "";
  }
};

/// A limit that is exceeded would end the process by a signal.
static bool mayBeSoLong(uint64_t bytes) {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         bytes <= limit.rlim_cur;
}

bool NodeMemory::map(int file, uint64_t bytes) {
  void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED)
    return false;
  memory = static_cast<std::byte *>(mapped);
  return true;
}

void NodeMemory::unmap() {
  if (memory)
    munmap(memory, size);
  memory = nullptr;
  size = 0;
}

/// Makes a file without pages.
NodeMemory::Attempt NodeMemory::create(uint64_t bytes) {
  using Fault = Attempt::Fault;
  Attempt made;
  made.bytes = bytes;
  made.file = memfd_create("cclc-node", MFD_CLOEXEC);
  if (made.file < 0)
    return made.failed(Fault::Create);
  if (!mayBeSoLong(bytes))
    return made.failed(Fault::FileSize);
  if (ftruncate(made.file, off_t(bytes)) != 0)
    return made.failed(Fault::Allocate);
  struct stat status;
  fstat(made.file, &status);
  made.device = status.st_dev;
  made.inode = status.st_ino;
  return made;
}

NodeMemory::Attempt NodeMemory::use(int file, uint64_t bytes, Part part) {
  using Fault = Attempt::Fault;
  Attempt used;
  used.bytes = part.bytes;
  do
    errno = part.bytes ? posix_fallocate(file, off_t(part.begin), off_t(part.bytes)) : 0;
  while (errno == EINTR);
  if (errno != 0)
    return used.failed(Fault::Allocate);
  used.bytes = bytes;
  return map(file, bytes) ? used : used.failed(Fault::Map);
}

NodeMemory::Attempt NodeMemory::open(const Attempt &first, Part part) {
  using Fault = Attempt::Fault;
  Attempt opened;
  const std::string path = formatv("/proc/{0}/fd/{1}", first.id, first.file);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0)
    return opened.failed(Fault::Open);
  struct stat status;
  if (fstat(file, &status) != 0 || status.st_dev != first.device || status.st_ino != first.inode)
    opened = opened.failed(Fault::Other);
  else
    opened = use(file, first.bytes, part);
  close(file);
  return opened;
}

/// The part of \p process, which begins and ends between pages.
NodeMemory::Part NodeMemory::partOf(const Nodes &nodes, int process, uint64_t bytes) {
  constexpr uint64_t page = 4096;
  const uint64_t length = ceilDiv(bytes, page * nodes.processesWith(process)) * page;
  uint64_t before = 0; // processes of the node
  for (int p = 0; p < process; ++p)
    before += nodes.firstOf(p) == nodes.firstOf(process);
  const uint64_t begin = std::min(before * length, bytes);
  return {begin, std::min(length, bytes - begin)};
}

std::optional<NodeMemory::Fault> NodeMemory::make(const Nodes &nodes, int process, uint64_t bytes,
                                                  Exchange exchange) {
  unmap();
  std::vector<Attempt> all(nodes.processes());
  auto share = [&](const Attempt &mine) -> std::optional<Fault> {
    exchange(&mine, all.data(), sizeof(Attempt));
    for (size_t p = 0; p < all.size(); ++p)
      if (all[p].fault != Attempt::Fault::None)
        return Fault{int(p), all[p].text(int(p), nodes.firstOf(int(p)))};
    return std::nullopt;
  };
  const bool isFirst = nodes.firstOf(process) == process;
  const Attempt made = isFirst && nodes.processesWith(process) > 1 ? create(bytes) : Attempt();
  std::optional<Fault> fault = share(made);
  if (!fault) {
    const Attempt first = all[nodes.firstOf(process)];
    const Part part = partOf(nodes, process, bytes);
    fault = share(first.file < 0 ? Attempt()
                  : isFirst      ? use(made.file, bytes, part)
                                 : open(first, part));
  }
  // The others have opened the file.
  if (made.file >= 0)
    close(made.file);
  size = bytes;
  if (fault)
    unmap();
#ifdef MADV_POPULATE_WRITE // else with the first access
  if (memory)
    madvise(memory, size, MADV_POPULATE_WRITE);
#endif
  return fault;
}
