//===- MemoryBudget.h - A limit on a tool's allocations ---------*- C++ -*-===//
//
// A file of a few bytes can declare more cells, ranks or threadblocks than fit into memory. Instead
// of an estimate for every table of every analysis, one limit applies to all of them: each
// allocation is counted before its memory is used. The first allocation that would exceed the limit
// ends the analysis with a message that names it and the memory it would have needed.
//
// The counter is process-wide because operator new is. It is one of the few global variables of the
// toolchain.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_MEMORYBUDGET_H
#define CCL_SUPPORT_MEMORYBUDGET_H

#include "cclc/Support/LLVM.h"
#include "cclc/Support/Units.h"

#include <new>
#include <string>

namespace cclc {

/// Thrown in place of an allocation beyond the limit.
class MemoryExceeded : public std::bad_alloc {
public:
  MemoryExceeded(const char *work, Bytes needed, Bytes limit)
      : work(work), needed(needed), limit(limit) {}
  const char *what() const noexcept override { return "the memory limit is exceeded"; }
  /// "the proof needs at least 2.9 GiB of memory, the limit is 512 MiB; raise it with
  /// --max-memory SIZE".
  std::string text() const;

private:
  const char *work;
  Bytes needed; ///< memory in use plus the rejected allocation
  Bytes limit;
};

class MemoryBudget {
public:
  /// 80 % of the memory that the machine and the control groups of this process allow. Files are
  /// read below \p root, which is "" except in tests.
  static Bytes ofMachine(StringRef root = "");

  /// The least limit that has an effect: allocations are counted in batches of this size.
  static constexpr Bytes leastLimit = Bytes(64 << 10);
  /// Makes allocations that bring the process above \p limit throw MemoryExceeded from now on.
  static void setLimit(Bytes limit);
  static Bytes limit();
  /// The memory allocated at present, exact to 64 KiB per thread.
  static Bytes used();
  /// Throws MemoryExceeded if \p bytes more would exceed the limit, for memory that does not come
  /// from operator new.
  static void require(Bytes bytes);

  /// Names the current activity of the process, for the message: "the proof".
  class Work {
  public:
    explicit Work(const char *name);
    ~Work();
    Work(const Work &) = delete;
    Work &operator=(const Work &) = delete;

  private:
    const char *outer;
  };
};

/// "512 B", "1.5 KiB", "2.9 GiB", rounded up.
std::string sizeText(Bytes size);

} // namespace cclc

#endif // CCL_SUPPORT_MEMORYBUDGET_H
