//===- MeasuredTuning.h - Plans that are chosen by jobs ---------*- C++ -*-===//
//
// ccl-tune --measure: the fastest plans of the model for each size are measured by jobs of ccl-run,
// which a launcher starts, beside the collective of the MPI library.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_TUNE_MEASUREDTUNING_H
#define CCL_TOOLS_CCL_TUNE_MEASUREDTUNING_H

#include "MeasuredFiles.h"

#include "cclc/Search/Tune/TuneProblem.h"

namespace cclc {

struct MeasuredTuningRequest {
  const TuneProblem &problem;
  const TuneResult &result;
  /// "threads", or the command that starts the processes of a job: "mpirun -n 4".
  std::string launcher;
  std::string runner;        ///< the path of ccl-run
  uint32_t contestants = 32; ///< the plans of a size that are measured
  /// Where measurements are kept (MeasuredStore); not at all without.
  bool keeps = true;
  std::optional<std::string> folder = {};
  Deadline deadline = {}; ///< no job begins after this
  std::function<void(StringRef)> onStage = {};
};

/// The measurements and the decisions, by size.
struct MeasuredTuning {
  std::string launcher, transport;
  MeasuredRules rules;
  std::vector<SizeContest> sizes = {};
  std::vector<MeasuredDecision> decisions = {};
  uint32_t jobs = 0;      ///< that this run has started
  bool isPartial = false; ///< whether the deadline has left sizes undecided
};

/// The results in the order of \p requests, whose jobs take turns: those that confirm the plans of
/// a problem are spread over the time of all, since a machine may be another one after a minute.
/// Fails if a job fails: its messages are reported.
FailureOr<std::vector<MeasuredTuning>> measurePlans(ArrayRef<MeasuredTuningRequest> requests,
                                                    DiagnosticEngine &diags);

/// The sizes that the library serves.
std::vector<PortfolioGap> gapsOf(const MeasuredTuning &measured, const TuneProblem &problem,
                                 const TuneResult &result, ArrayRef<PlanRange> ranges);

/// Adds the measured times of a row that measurements have chosen.
void addMeasured(const MeasuredTuning &measured, PortfolioFileRow &row);

/// What plans are compared with: "library", or the model's plan among threads.
StringRef otherName(const MeasuredTuning &measured);
/// "1.23 (1.21 to 1.24)"; "-" without a ratio.
std::string ratioText(const std::optional<PairedRatio> &ratio);
/// "library", "plan" and so on.
std::string winnerText(const MeasuredDecision &decision);

/// Prints the times and decisions by size.
void printMeasured(const MeasuredTuning &measured, const TuneProblem &problem,
                   const TuneResult &result, raw_ostream &os);

} // namespace cclc

#endif // CCL_TOOLS_CCL_TUNE_MEASUREDTUNING_H
