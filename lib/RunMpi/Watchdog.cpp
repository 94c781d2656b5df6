//===- Watchdog.cpp - Ending a process whose call blocks ------------------===//
//
// Other processes cannot be asked without MPI: the table of processes of this machine shows those
// that are missing, stopped, or not ccl-run.
//
// When a process of the job has died, launchers send SIGTERM to the others. MPICH calls abort() if
// it reads the memory of such a process.
//
//===----------------------------------------------------------------------===//

#include "Watchdog.h"

#include "JobProcesses.h"

#include "cclc/Support/Diagnostics.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <unistd.h>

using namespace cclc;
using namespace cclc::run;
using llvm::formatv;
using std::chrono::steady_clock;

namespace {
volatile std::sig_atomic_t terminated = 0;
std::atomic<bool> investigated = false;
void onTermination(int) { terminated = 1; }
using Handler = void (*)(int);
Handler crashHandler = SIG_DFL; ///< of the tool

/// Reports \p error, and the ranks that are missing or do not run.
void reportJob(const JobTable &job, const std::string &error) {
  DiagnosticEngine diags;
  diags.error({}, error);
  for (int rank = 0; rank < job.size; ++rank)
    if (!job.seemsToRun(rank))
      diags.note({}, formatv("rank {0}: {1}", rank, job.text(rank)));
  diags.print(llvm::errs(), "ccl-run");
  llvm::errs().flush();
}

bool allSeemToRun(const JobTable &job) {
  for (int rank = 0; rank < job.size; ++rank)
    if (!job.seemsToRun(rank))
      return false;
  return true;
}

/// abort() is called by the code that fails, not at any instruction. A process that ends loses its
/// memory, which MPICH then fails to read, before the table of processes shows that it ends.
void onAbort(int number) {
  for (int tries = 0; tries < 25; ++tries) {
    if (JobTable job = findJobProcesses(); !allSeemToRun(job)) {
      reportJob(job, formatv("rank {0}: the MPI library aborts", job.rank));
      _exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::signal(number, crashHandler);
  std::raise(number);
}
} // namespace

Watchdog::Watchdog(double seconds) : limit(seconds) {
  std::signal(SIGTERM, onTermination);
  crashHandler = std::signal(SIGABRT, onAbort);
  thread = std::thread([this] { observe(); });
}

bool Watchdog::launcherEnds() {
  if (terminated)
    investigated = true;
  return terminated != 0;
}

Watchdog::~Watchdog() {
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGABRT, crashHandler);
  {
    std::lock_guard lock(mutex);
    ended = true;
  }
  changed.notify_one();
  thread.join();
}

void Watchdog::observe() {
  // In milliseconds. A launcher that ends a job kills its processes after one to two seconds.
  constexpr uint32_t period = 100, toInvestigate = 800, toReport = 1500;
  // While all processes of the job run, a call may only be slow, on a busy machine.
  constexpr uint32_t patience = 3;
  uint32_t sinceTermination = 0;
  std::chrono::duration<double> allowed = limit;
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, std::chrono::milliseconds(period), [this] { return ended; })) {
    const char *name = call;
    std::chrono::duration<double> waited =
        steady_clock::now().time_since_epoch() - steady_clock::duration(begin);
    if (waited <= limit)
      allowed = limit;
    if (name && !terminated && waited > allowed && waited < patience * limit &&
        allSeemToRun(findJobProcesses()))
      allowed += limit / 4;
    if (name && (waited > allowed || terminated))
      expire(name, terminated ? "the job is terminated"
                              : formatv("no progress for {0} s", allowed.count()).str());
    // MpiWatch reports more, unless a call of MPI does not return, because its peer is dead.
    if (terminated)
      sinceTermination += period;
    if (sinceTermination > (investigated ? toReport : toInvestigate))
      expire(name ? name : "a call of the MPI library", "the job is terminated");
  }
}

void Watchdog::expire(const char *name, const std::string &cause) const {
  JobTable job = findJobProcesses();
  // The job ends when the first process ends: one report is sufficient.
  if (job.rank != 0 && !terminated)
    std::this_thread::sleep_for(std::chrono::seconds(1));
  reportJob(job, formatv("{0}: rank {1} waits in {2}", cause, job.rank, name));
  _exit(1);
}
