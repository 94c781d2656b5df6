//===- Waiting.h - Waits of a process for others ----------------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_WAITING_H
#define CCL_LIB_RUN_MPI_WAITING_H

#include <cstdint>
#include <cstdlib>
#include <sched.h>
#include <unistd.h>

namespace cclc::run {

/// The number of polls without success after which a process yields its processor: soon if there
/// are more processes than processors, and otherwise late, since it may not get it back for long.
inline uint32_t pollsBeforeYield() {
  for (const char *name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"})
    if (const char *processes = std::getenv(name))
      return std::atol(processes) > sysconf(_SC_NPROCESSORS_ONLN) ? 100 : 10000;
  return 1000;
}

/// Polls again and again, and yields the processor from time to time.
class Waiting {
public:
  /// After a poll. Returns whether the processor was yielded.
  bool after(bool success) {
    if (success) {
      polls = yields = 0;
      return false;
    }
    if (++polls < limit)
      return false;
    polls = 0;
    ++yields;
    sched_yield();
    return true;
  }
  /// Whether it is the first yield since the last success.
  bool begins() const { return yields == 1; }

private:
  static inline const uint32_t limit = pollsBeforeYield();
  uint32_t polls = 0, yields = 0;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_WAITING_H
