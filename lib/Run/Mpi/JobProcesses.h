//===- JobProcesses.h - The processes of this job ---------------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_JOBPROCESSES_H
#define CCL_LIB_RUN_MPI_JOBPROCESSES_H

#include <map>
#include <optional>
#include <string>

namespace cclc::run {

/// A process of the MPI job, as the operating system sees it.
struct JobProcess {
  int id;
  std::string command; ///< the name of the program
  bool isStopped;
  bool isBusy; ///< uses a processor, or waits for one or for a disk
};

/// The job on this machine. Empty if the operating system or the launcher does not tell.
struct JobTable {
  int rank = 0; ///< of this process
  int size = 0;
  std::map<int, JobProcess> processes; ///< by rank; those that have ended are missing

  /// Whether the process of \p other exists, is not stopped, and has the program of this one.
  bool seemsToRun(int other) const;
  /// The first rank that does not seem to run; unset if all do.
  std::optional<int> firstLost() const;
  /// Whether the process of \p other computes, as far as this machine shows.
  bool isBusy(int other) const;
  /// What is known of \p other: "process 4711 (ccl-run) is stopped".
  std::string text(int other) const;
};

JobTable findJobProcesses();

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_JOBPROCESSES_H
