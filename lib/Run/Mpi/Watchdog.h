//===- Watchdog.h - Time limits of calls that block -------------*- C++ -*-===//
//
// Some calls of an MPI library cannot be replaced by a loop that looks at a clock: its
// initialisation, and its own collectives, which are measured. A thread that does not call MPI ends
// the process, and thus the job, if one of them takes too long.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_WATCHDOG_H
#define CCL_LIB_RUN_MPI_WATCHDOG_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace cclc::run {

struct JobTable;

class Watchdog {
public:
  /// Takes over SIGTERM, by which launchers end a job, and SIGABRT.
  explicit Watchdog(double seconds);
  ~Watchdog();
  /// Whether the launcher ends the job, and kills the process soon. The caller reports it.
  static bool launcherEnds();

  /// Tells the other processes of the job that this one has reported a fault and ends the job, so
  /// that they do not take it for lost. One of them repeats which rank is the \p culprit, as the
  /// last words of the job.
  static void tellReported(const JobTable &job, std::optional<int> culprit);
  /// Waits for the end of the job, if another process has reported its fault.
  static void endIfReported();

  /// The call \p name, for the life of the object.
  class Call {
  public:
    Call(Watchdog &watchdog, const char *name) : watchdog(watchdog) {
      watchdog.begin = std::chrono::steady_clock::now().time_since_epoch().count();
      watchdog.call = name;
    }
    ~Call() { watchdog.call = nullptr; }
    Call(const Call &) = delete;

  private:
    Watchdog &watchdog;
  };

private:
  void observe();
  [[noreturn]] static void endReported();
  [[noreturn]] void expire(const char *name, const std::string &cause) const;

  const std::chrono::duration<double> limit;
  std::atomic<std::chrono::steady_clock::rep> begin = 0;
  std::atomic<const char *> call = nullptr;
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false; ///< under `mutex`
  std::thread thread;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_WATCHDOG_H
