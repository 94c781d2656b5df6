//===- MemoryBudget.h - A limit to what a tool allocates --------*- C++ -*-===//
//
// A file of a few bytes can declare more cells, ranks or threadblocks than there is
// memory for. Rather than an estimate for every table of every analysis there is one
// limit for all of them: each allocation is counted before its memory is used, and the
// first one that would pass the limit ends the work with what was going on and how much
// it would have needed.
//
// The counter is process-wide because operator new is: this file is the one place of the
// toolchain that keeps state outside objects.
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
  Bytes needed; ///< in use, and what was asked for
  Bytes limit;
};

class MemoryBudget {
public:
  /// 80 % of what the machine or a control group of this process allows. Files are read
  /// below \p root, "" but for tests.
  static Bytes ofMachine(StringRef root = "");

  /// From now on allocations that bring the process above \p limit throw MemoryExceeded.
  static void setLimit(Bytes limit);
  /// What is allocated now, within 64 KiB a thread.
  static Bytes used();
  /// Throws MemoryExceeded unless \p bytes more may be allocated: for memory that does not
  /// come from operator new.
  static void require(Bytes bytes);

  /// Names what the process does, for the message: "the proof".
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
