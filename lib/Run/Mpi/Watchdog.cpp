//===- Watchdog.cpp - Ending a process whose call blocks ------------------===//
//
// Other processes cannot be asked without MPI: the table of processes of this machine shows those
// that are missing, stopped, or not ccl-run.
//
// When a process of the job has died, launchers send SIGTERM to the others. MPICH calls abort() if
// it reads the memory of such a process.
//
// A process that reports a fault ends, and would be the next one that is missing. It therefore
// sends the others of this machine a SIGTERM with a value, after which they only end: all but one
// without a word, and this one after the launcher has named the process that ended the job.
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
/// The mark of tellReported(), with the culprit's rank plus one for the process that names it.
volatile std::sig_atomic_t reported = 0;
constexpr int reportMark = 0x5cc10000, culpritMask = 0xffff;

void onTermination(int, siginfo_t *info, void *) {
  if (info->si_code == SI_QUEUE && (info->si_value.sival_int & ~culpritMask) == reportMark)
    reported = info->si_value.sival_int;
  else
    terminated = 1;
}
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

/// abort() is called by the code that fails, not at any instruction. A process that ends loses its
/// memory, which MPICH then fails to read, before the table of processes shows that it ends.
void onAbort(int number) {
  for (int tries = 0; tries < 25; ++tries) {
    if (JobTable job = findJobProcesses(); job.firstLost()) {
      reportJob(job, formatv("rank {0}: the MPI library aborts", job.rank));
      Watchdog::tellReported(job, job.firstLost());
      _exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::signal(number, crashHandler);
  std::raise(number);
}
} // namespace

Watchdog::Watchdog(double seconds) : limit(seconds) {
  struct sigaction action = {};
  action.sa_sigaction = onTermination;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  crashHandler = std::signal(SIGABRT, onAbort);
  thread = std::thread([this] { observe(); });
}

bool Watchdog::launcherEnds() {
  if (terminated)
    investigated = true;
  return terminated != 0;
}

void Watchdog::tellReported(const JobTable &job, std::optional<int> culprit) {
  auto own = job.processes.find(job.rank);
  if (own == job.processes.end())
    return;
  std::optional<int> speaker = culprit;
  for (const auto &[rank, process] : job.processes)
    if (rank != job.rank && rank != culprit && job.seemsToRun(rank)) {
      speaker = rank;
      break;
    }
  for (const auto &[rank, process] : job.processes)
    if (rank != job.rank && process.command == own->second.command) {
      sigval value;
      value.sival_int = reportMark | (culprit && rank == speaker ? *culprit + 1 : 0);
      sigqueue(process.id, SIGTERM, value);
    }
}

void Watchdog::endIfReported() {
  while (reported)
    std::this_thread::sleep_for(std::chrono::milliseconds(10)); // its thread ends the process
}

void Watchdog::endReported() {
  if (int culprit = reported & culpritMask) {
    DiagnosticEngine diags;
    diags.error({}, formatv("the job has ended because of rank {0}", culprit - 1));
    diags.print(llvm::errs(), "ccl-run");
    llvm::errs().flush();
  }
  _exit(1);
}

Watchdog::~Watchdog() {
  endIfReported(); // a culprit that goes on may have let this process complete
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
  // The launcher has then written which process has ended the job; it does so before SIGTERM.
  constexpr uint32_t toSpeak = 600;
  uint32_t sinceTermination = 0, sinceReport = 0;
  std::chrono::duration<double> allowed = limit;
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, std::chrono::milliseconds(period), [this] { return ended; })) {
    if (reported && (terminated || (sinceReport += period) > toSpeak))
      endReported();
    if (reported)
      continue;
    const char *name = call;
    std::chrono::duration<double> waited =
        steady_clock::now().time_since_epoch() - steady_clock::duration(begin);
    if (waited <= limit)
      allowed = limit;
    if (name && !terminated && waited > allowed && waited < patience * limit &&
        !findJobProcesses().firstLost())
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
  if (!reported) {
    reportJob(job, formatv("{0}: rank {1} waits in {2}", cause, job.rank, name));
    tellReported(job, job.firstLost());
    _exit(1);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  endReported();
}
