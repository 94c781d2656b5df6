//===- MemoryBudget.cpp - Counting allocations ----------------------------===//
//
// Replaces all forms of operator new and delete. Each thread adds up the usable sizes of its
// blocks and adds them to the process-wide counter once they exceed 64 KiB, so that most
// allocations write to nothing shared; the counter is exact to 64 KiB for each thread. Larger
// blocks are checked before they are allocated. The default limit is four fifths of the
// physical memory or of the smallest limit of the process's control groups (v1 and v2,
// cgroups(7)) and their ancestors.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/MemoryBudget.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <optional>
#include <unistd.h>

using namespace cclc;

// --- Counting -----------------------------------------------------------------------

namespace {
constexpr int64_t batch = int64_t(MemoryBudget::leastLimit.count());

std::atomic<int64_t> limitBytes = INT64_MAX;
std::atomic<int64_t> usedBytes = 0;
/// Bytes not yet added to usedBytes, so that most allocations access no shared data.
thread_local int64_t uncounted = 0;
thread_local const char *currentWork = "the tool";

/// Reporting takes memory as well: the limit is raised by this amount once it was exceeded.
constexpr int64_t reserve = 16 << 20;

[[noreturn]] void exceed(int64_t needed) {
  int64_t limit = limitBytes;
  limitBytes = std::max(limit, usedBytes.load()) + reserve;
  throw MemoryExceeded(currentWork, Bytes(needed), Bytes(limit));
}

/// Adds the thread's bytes to the shared counter. Returns whether the limit still holds.
bool flush() {
  int64_t used = usedBytes += uncounted;
  uncounted = 0;
  return used <= limitBytes.load(std::memory_order_relaxed);
}

/// Overhead of the allocator for each block.
constexpr int64_t header = 8;

void *counted(void *memory) {
  if (!memory)
    throw std::bad_alloc();
  int64_t block = int64_t(malloc_usable_size(memory)) + header;
  uncounted += block;
  if (uncounted > batch && !flush()) {
    std::free(memory);
    exceed(usedBytes.fetch_sub(block));
  }
  return memory;
}

/// Counts a large block before it is allocated.
void checkLarge(size_t size) {
  if (size <= size_t(batch))
    return;
  flush();
  int64_t used = usedBytes;
  if (size > size_t(INT64_MAX) || used > limitBytes.load() - int64_t(size))
    exceed(size > size_t(INT64_MAX - used) ? INT64_MAX : used + int64_t(size));
}

void release(void *memory) noexcept {
  if (!memory)
    return;
  uncounted -= int64_t(malloc_usable_size(memory)) + header;
  if (uncounted < -batch)
    flush();
  std::free(memory);
}
} // namespace

/// The nothrow forms report an exceeded limit by a null pointer.
template <class Allocate> static void *orNull(Allocate allocate) noexcept {
  try {
    return allocate();
  } catch (...) {
    return nullptr;
  }
}

// All forms are replaced. A sanitizer has its own versions, and memory from one of those could not
// be released by the functions below.
using Align = std::align_val_t;
using NoThrow = const std::nothrow_t &;

void *operator new(size_t size) {
  checkLarge(size);
  return counted(std::malloc(size ? size : 1));
}
void *operator new(size_t size, Align align) {
  checkLarge(size);
  size_t alignment = std::max(size_t(align), sizeof(void *));
  return counted(std::aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1)));
}
void *operator new[](size_t size) { return operator new(size); }
void *operator new[](size_t size, Align align) { return operator new(size, align); }
void *operator new(size_t size, NoThrow) noexcept {
  return orNull([=] { return operator new(size); });
}
void *operator new[](size_t size, NoThrow) noexcept {
  return orNull([=] { return operator new(size); });
}
void *operator new(size_t size, Align align, NoThrow) noexcept {
  return orNull([=] { return operator new(size, align); });
}
void *operator new[](size_t size, Align align, NoThrow) noexcept {
  return orNull([=] { return operator new(size, align); });
}

void operator delete(void *memory) noexcept { release(memory); }
void operator delete[](void *memory) noexcept { release(memory); }
void operator delete(void *memory, size_t) noexcept { release(memory); }
void operator delete[](void *memory, size_t) noexcept { release(memory); }
void operator delete(void *memory, Align) noexcept { release(memory); }
void operator delete[](void *memory, Align) noexcept { release(memory); }
void operator delete(void *memory, size_t, Align) noexcept { release(memory); }
void operator delete[](void *memory, size_t, Align) noexcept { release(memory); }
void operator delete(void *memory, NoThrow) noexcept { release(memory); }
void operator delete[](void *memory, NoThrow) noexcept { release(memory); }
void operator delete(void *memory, Align, NoThrow) noexcept { release(memory); }
void operator delete[](void *memory, Align, NoThrow) noexcept { release(memory); }

void MemoryBudget::setLimit(Bytes limit) {
  limitBytes = int64_t(std::min<uint64_t>(limit.count(), INT64_MAX));
}

Bytes MemoryBudget::limit() { return Bytes(uint64_t(limitBytes.load())); }

Bytes MemoryBudget::used() {
  flush();
  return Bytes(std::max<int64_t>(usedBytes, 0));
}

void MemoryBudget::require(Bytes bytes) { checkLarge(bytes.count()); }

MemoryBudget::Work::Work(const char *name) : outer(currentWork) { currentWork = name; }
MemoryBudget::Work::~Work() { currentWork = outer; }

// --- The limit of the machine ---------------------------------------------------------

/// The number in a file; none if it contains "max", which means no limit, or does not exist.
static std::optional<uint64_t> readNumber(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/true,
                                            /*IsVolatile=*/true);
  uint64_t number;
  if (!buffer || (*buffer)->getBuffer().trim().getAsInteger(10, number))
    return std::nullopt;
  return number;
}

/// The limit of a control group is the smallest of its own and those of its ancestors.
static uint64_t limitOfGroup(const std::string &hierarchy, StringRef group, const char *file) {
  uint64_t limit = UINT64_MAX;
  while (true) {
    std::string path = hierarchy + group.rtrim('/').str() + "/" + file;
    limit = std::min(limit, readNumber(path).value_or(UINT64_MAX));
    if (group.trim('/').empty())
      return limit;
    group = group.rtrim('/');
    group = group.take_front(group.rfind('/'));
  }
}

Bytes MemoryBudget::ofMachine(StringRef root) {
  uint64_t limit = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  std::string below = root.str() + "/sys/fs/cgroup";
  if (auto groups = llvm::MemoryBuffer::getFile((root + "/proc/self/cgroup").str(), false, true,
                                                /*IsVolatile=*/true)) {
    SmallVector<StringRef> lines;
    (*groups)->getBuffer().split(lines, '\n');
    for (StringRef line : lines) {
      auto [number, rest] = line.split(':');
      auto [controllers, group] = rest.split(':');
      if (number == "0" && controllers.empty())
        limit = std::min(limit, limitOfGroup(below, group, "memory.max"));
      if (("," + controllers + ",").str().find(",memory,") != std::string::npos)
        limit = std::min(limit, limitOfGroup(below + "/memory", group, "memory.limit_in_bytes"));
    }
  }
  return Bytes(limit / 5 * 4);
}

// --- Messages -------------------------------------------------------------------------

std::string cclc::sizeText(Bytes size) {
  constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  while (size.count() >> 10 * unit >= 1024)
    ++unit;
  Wide one = Wide(1) << 10 * unit;
  uint64_t tenths = uint64_t((Wide(size.count()) * 10 + one - 1) / one);
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10)
    text += "." + std::to_string(tenths % 10);
  return text + " " + units[unit];
}

std::string MemoryExceeded::text() const {
  return llvm::formatv("{0} needs at least {1} of memory, the limit is {2}; raise it with "
                       "--max-memory SIZE",
                       work, sizeText(needed), sizeText(limit));
}
