//===- SizeRuns.cpp - Sizes simulated in parallel -------------------------===//
//
// Sizes are verified sequentially, simulated by a pool of jobs, and reported in order: a result is
// held back until the previous ones are complete.
//
//===----------------------------------------------------------------------===//

#include "SizeRuns.h"

#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Parallel.h"

#include "cclc/Views/Export/Chakra.h"
#include "cclc/Views/Export/Goal.h"
#include "cclc/Views/Report/ChromeTrace.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace cclc;
using llvm::formatv;

namespace {
/// One size and its result.
struct Run {
  Sizing sizing;
  bool isLast = false;
  bool done = false;
  FailureOr<SizeRun> result = failure();
  DiagnosticEngine diags;
};

class Runner {
public:
  Runner(const SizeRunRequest &request, Progress &progress)
      : request(request), simulator(request.simulator), progress(progress) {}

  /// Makes a run for each size that fits and is safe of \p sizes.
  FailureOr<std::vector<Run>> prepare(ArrayRef<uint64_t> sizes, bool &allSafe,
                                      DiagnosticEngine &diags) {
    std::vector<Run> runs;
    for (uint64_t size : sizes) {
      FailureOr<Sizing> sizing = simulator.prove(Bytes(size), request.type, diags);
      if (failed(sizing) && diags.failure() == Failure::Unusable)
        return failure();
      allSafe &= succeeded(sizing);
      if (failed(sizing))
        continue;
      if (simulator.settings().options.criticalPath && simulator.executions(*sizing) > maxRecorded)
        return diags.error({}, formatv("--critical-path records every execution of a step, and {0} "
                                       "bytes take {1} of them, more than the limit of {2}; "
                                       "choose a smaller size or fewer repetitions",
                                       size, simulator.executions(*sizing), maxRecorded));
      Run run;
      run.sizing = *sizing;
      runs.push_back(std::move(run));
    }
    if (!runs.empty())
      runs.back().isLast = true;
    return runs;
  }

  /// Runs all sizes and adds them to \p report, up to the first that fails, whose exit code is
  /// returned.
  ExitCode runAll(std::vector<Run> &runs, SweepOutput &report, DiagnosticEngine &diags) {
    size_t reported = 0, done = 0;
    ExitCode code = ExitCode::Success;
    std::mutex reporting;
    auto isOver = [&] {
      std::lock_guard lock(reporting);
      return code != ExitCode::Success && code != ExitCode::Wrong;
    };
    parallelFor(request.jobs, runs.size(), [&](size_t i) {
      if (isOver())
        return;
      runWithinMemory(runs[i]);
      std::lock_guard lock(reporting);
      runs[i].done = true;
      ++done;
      if (request.jobs > 1)
        progress.stage(formatv("simulated {0} of {1} sizes", done, runs.size()));
      for (; reported < runs.size() && runs[reported].done; ++reported) {
        Run &next = runs[reported];
        if (failed(next.result)) {
          code = exitCodeOf(next.diags.failure());
          diags.append(std::move(next.diags));
          return;
        }
        if (!next.result->row.dataOk.value_or(true))
          code = ExitCode::Wrong;
        report.add(std::move(next.result->row), std::move(next.result->costs),
                   std::move(next.diags));
      }
    });
    return code;
  }

private:
  /// If several sizes run in parallel, only the number of completed ones is shown.
  void stage(const llvm::Twine &what) {
    if (request.jobs <= 1)
      progress.stage(what);
  }

  /// A size that takes too much memory fails, but the sizes before it are kept.
  void runWithinMemory(Run &which) {
    try {
      run(which);
    } catch (const MemoryExceeded &exceeded) {
      which.diags.error({}, exceeded.text());
      which.result = failure();
    }
  }

  /// Writes the inputs of other simulators.
  LogicalResult emit(const Sizing &sizing, DiagnosticEngine &diags) const {
    const PlacedPlan *plan = simulator.plan().steps(); // both are of plans of steps
    if (request.goal &&
        (failed(checkGoal(*plan, sizing, diags)) ||
         failed(writeFile(
             *request.goal, [&](raw_ostream &os) { writeGoal(*plan, sizing, os); }, diags))))
      return failure();
    if (request.chakra)
      return ChakraTraces(*plan, sizing).writeFiles(*request.chakra, diags);
    return success();
  }

  /// Simulates, and writes the events.
  FailureOr<SimResult> trace(const Sizing &sizing, Simulator::Hooks::Simulate simulate,
                             DiagnosticEngine &diags) const {
    SimResult result;
    auto write = [&](raw_ostream &os) {
      result = writeTrace(simulator.plan(), sizing, request.header, os,
                          [&](SimListener &listener) { return simulate(&listener); });
    };
    if (failed(writeFile(*request.trace, write, diags)))
      return failure();
    return result;
  }

  void run(Run &run) {
    const Sizing &sizing = run.sizing;
    if (failed(emit(sizing, run.diags)))
      return;
    Simulator::Hooks hooks{.onStage = [&](const std::string &text) { stage(text); }};
    if (request.trace)
      hooks.listen = [&](Simulator::Hooks::Simulate simulate) {
        return trace(sizing, simulate, run.diags);
      };
    run.result = simulator.run(sizing, run.isLast, hooks, run.diags);
  }

  const SizeRunRequest &request;
  Simulator &simulator;
  Progress &progress;
};
} // namespace

ExitCode cclc::runSizes(const SizeRunRequest &request, ArrayRef<uint64_t> sizes,
                        SweepOutput &report, Progress &progress, DiagnosticEngine &diags) {
  bool allSafe = true;
  Runner runner(request, progress);
  FailureOr<std::vector<Run>> runs = runner.prepare(sizes, allSafe, diags);
  if (failed(runs))
    return ExitCode::Unusable;
  report.begin(runs->size());
  ExitCode code = runner.runAll(*runs, report, diags);
  return code == ExitCode::Success && !allSafe ? ExitCode::Wrong : code;
}
