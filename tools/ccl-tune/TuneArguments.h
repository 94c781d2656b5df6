//===- TuneArguments.h - The command line of ccl-tune -----------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_TUNE_TUNEARGUMENTS_H
#define CCL_TOOLS_CCL_TUNE_TUNEARGUMENTS_H

#include "RecordedJob.h"
#include "cclc/Search/Tune/TuneProblem.h"
#include "cclc/Search/Tune/Tuner.h"
#include "cclc/Search/Tune/Vary.h"
#include "cclc/Support/Diagnostics.h"
#include "cclc/Target/MachineParts.h"
#include "cclc/Tools/Cli/CommandLine.h"

namespace cclc {

/// The values of the command line, before they are parsed.
struct TuneArguments {
  std::vector<std::string> positionals; ///< the target, then collectives
  std::optional<std::string> ranks, sizes, endpoints, mapper, network, dtype, programs, shard,
      resume, output, price, survive, measure, recorded;
  std::vector<std::string> sets, merge, exports, parameters, runtimes, vary;
  std::optional<uint64_t> budget, maxPlans, jobs, timeLimit, contestants;
  bool exhaustive = false, invariant = false, noCache = false, adds = false;
  MessageForm format = MessageForm::Text;

  void addTo(CommandLine &line);

  /// The job of --for.
  FailureOr<RecordedJob> recordedJob(DiagnosticEngine &diags) const;
  /// One request for each collective, number of ranks and runtime: those of \p job, or else of the
  /// options. \p job may be null.
  FailureOr<std::vector<TuneRequest>> requests(const std::string &targetDir, const RecordedJob *job,
                                               DiagnosticEngine &diags) const;
  FailureOr<TuneOptions> options(DiagnosticEngine &diags) const;
  /// Where results are kept: in the folders of --resume and --merge, or else in the cache.
  FailureOr<MeasureStore> store(DiagnosticEngine &diags) const;
  std::vector<std::string> programNames() const;
  /// The values of --runtime, each once, in their order.
  std::vector<std::string> runtimeNames() const;
  /// The parts of --survive, each once.
  FailureOr<std::vector<PartKind>> parts(DiagnosticEngine &diags) const;
  FailureOr<std::vector<VaryAxis>> axes(DiagnosticEngine &diags) const;
  /// The values of --export, each once, in their order.
  std::vector<std::string> exportNames() const;

private:
  FailureOr<std::vector<CollectiveKind>> collectives(DiagnosticEngine &diags) const;
  /// The collectives, numbers of ranks and sizes of the options.
  LogicalResult addProblems(std::vector<TuneRequest> &requests, TuneRequest request,
                            DiagnosticEngine &diags) const;
  /// Sets \p destinations to the runtimes; null: that of the target.
  LogicalResult findRuntimes(std::vector<const Runtime *> &destinations,
                             DiagnosticEngine &diags) const;
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_TUNE_TUNEARGUMENTS_H
