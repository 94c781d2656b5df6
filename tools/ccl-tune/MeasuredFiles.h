//===- MeasuredFiles.h - The files of measured plans ------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_TUNE_MEASUREDFILES_H
#define CCL_TOOLS_CCL_TUNE_MEASUREDFILES_H

#include "cclc/Search/Tune/MeasuredChoice.h"
#include "cclc/Support/Diagnostics.h"

#include <map>

namespace cclc {

/// The times of one job of ccl-run --turns, in nanoseconds by round.
struct JobTimes {
  struct Size {
    std::map<std::string, std::vector<double>> plans; ///< by file
    std::vector<double> library;                      ///< empty without it
  };
  std::string transport;                       ///< "libccl-mpi, Open MPI 4.1.4"
  std::map<uint64_t, std::vector<Size>> sizes; ///< for each placement that was measured
};

/// Reads the file of ccl-run --turns --json.
FailureOr<JobTimes> readJobTimes(const std::string &path, DiagnosticEngine &diags);

/// Where the jobs of earlier runs are kept: a file for each machine, plan and size.
class MeasuredStore {
public:
  /// Keeps nothing.
  MeasuredStore() = default;
  /// In \p folder, or else in the user's cache, for what all files have in common: the computer,
  /// the launcher and the problem.
  static FailureOr<MeasuredStore> open(const std::optional<std::string> &folder,
                                       std::string conditions, DiagnosticEngine &diags);

  /// Adds the jobs that have measured the plan of \p command with \p bytes.
  void read(const std::string &command, uint64_t bytes, Contestant &contestant) const;
  LogicalResult write(const std::string &command, uint64_t bytes, const Contestant &contestant,
                      DiagnosticEngine &diags) const;

private:
  std::string pathOf(const std::string &command, uint64_t bytes) const;

  std::string folder, conditions; ///< empty: nothing is kept
};

/// The name of this computer and of its processor.
std::string computerName();

} // namespace cclc

#endif // CCL_TOOLS_CCL_TUNE_MEASUREDFILES_H
