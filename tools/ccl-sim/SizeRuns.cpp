//===- SizeRuns.cpp - Sizes simulated in parallel -------------------------===//
//
// Sizes are verified sequentially, simulated by a pool of jobs, and reported in order: a result is
// held back until the previous ones are complete. The data of the first placement are checked in
// the timed run, those of further placements in separate runs.
//
//===----------------------------------------------------------------------===//

#include "SizeRuns.h"

#include "CheckedData.h"
#include "TraceOption.h"
#include "cclc/Sim/PlanBound.h"
#include "cclc/Sim/SizeVerifier.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Parallel.h"

#include "cclc/Export/Chakra.h"
#include "cclc/Export/Goal.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace cclc;
using llvm::formatv;

namespace {
/// The limit without --critical-path, where it is needed only for the causes in the summary: 112
/// MB.
constexpr uint64_t maxRecordedUnasked = 2'000'000;

/// One size and its result.
struct Run {
  Sizing sizing;
  bool isLast = false;
  bool done = false;
  ExitCode code = ExitCode::Success;
  std::optional<SizeResult> row;
  std::vector<Cost> costs;
  DiagnosticEngine diags;
};

class Runner {
public:
  Runner(const SizeRunRequest &request, Progress &progress)
      : request(request), bound(request.bound), progress(progress) {
    if (request.bounds)
      bounds.emplace(request.bound, request.network, request.options.repeat);
  }

  /// Makes a run for each size that fits and is safe of \p sizes.
  FailureOr<std::vector<Run>> prepare(ArrayRef<uint64_t> sizes, bool &allSafe,
                                      DiagnosticEngine &diags) {
    SizeVerifier verifier(bound, request.slotsNeeded);
    std::vector<Run> runs;
    for (uint64_t size : sizes) {
      FailureOr<Sizing> sizing = Sizing::create(bound, Bytes(size), request.type, diags);
      if (failed(sizing))
        return failure();
      if (failed(checkMemory(bound, *sizing, diags))) {
        allSafe = false;
        continue;
      }
      if (!verifier.prove(*sizing).safe) {
        verifier.report(*sizing, diags);
        allSafe = false;
        continue;
      }
      if (request.options.criticalPath && executions(*sizing) > maxRecorded)
        return diags.error({}, formatv("--critical-path records every execution of a step, and {0} "
                                       "bytes take {1} of them, more than the limit of {2}; "
                                       "choose a smaller size or fewer repetitions",
                                       size, executions(*sizing), maxRecorded));
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
        if (next.code != ExitCode::Success) {
          diags.append(std::move(next.diags));
          code = next.code;
          return;
        }
        if (!next.row->dataOk.value_or(true))
          code = ExitCode::Wrong;
        report.add(std::move(*next.row), std::move(next.costs), std::move(next.diags));
      }
    });
    return code;
  }

private:
  uint64_t executions(const Sizing &sizing) const {
    return sizing.executions(bound) * request.options.repeat;
  }
  bool checks() const {
    return request.checkData && bound.plan.info().collective.hasPostCondition();
  }
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
      which.code = ExitCode::Unusable;
    }
  }

  /// Writes the inputs of other simulators.
  LogicalResult emit(const Sizing &sizing, DiagnosticEngine &diags) const {
    if (request.goal &&
        (failed(checkGoal(bound, sizing, diags)) ||
         failed(writeFile(
             *request.goal, [&](raw_ostream &os) { writeGoal(bound, sizing, os); }, diags))))
      return failure();
    if (request.chakra)
      return ChakraTraces(bound, sizing).writeFiles(*request.chakra, diags);
    return success();
  }

  void run(Run &run) {
    const Sizing &sizing = run.sizing;
    std::string size = std::to_string(sizing.requested.count()) + " bytes";
    stage("simulate " + size);
    auto fail = [&](ExitCode code) { run.code = code; };
    if (failed(emit(sizing, run.diags)))
      return fail(ExitCode::Unusable);
    SimOptions options = request.options;
    options.criticalPath |= run.isLast && executions(sizing) <= maxRecordedUnasked;
    options.onProgress = [&](uint64_t steps) {
      stage(formatv("simulate {0}, {1} %", size, steps * 100 / executions(sizing)));
    };
    std::unique_ptr<CheckedData> data;
    if (checks()) {
      data = std::make_unique<CheckedData>(
          bound, sizing, request.op, bound.plan.info().placements.list().front(), request.seed);
      options.listeners = {&data->executor};
    }
    std::unique_ptr<NetworkModel> network = createNetwork(request.network, bound.routes);
    FailureOr<SimResult> result = request.trace
                                      ? simulateTraced(*request.trace, request.settings, bound,
                                                       sizing, *network, options, run.diags)
                                      : simulate(bound, sizing, *network, options);
    if (failed(result))
      return fail(ExitCode::Unusable);
    if (result->time == SimTime::max()) {
      run.diags.error({}, formatv("{0} on target {1} take longer than 53 days of simulated time, "
                                  "the limit of the clock",
                                  size, bound.machine.name));
      return fail(ExitCode::Unusable);
    }
    if (!result->completed) {
      run.diags.error({}, "the plan was verified, but its execution did not complete");
      return fail(ExitCode::Internal);
    }
    report(run, std::move(*result));
    if (checks()) {
      stage("check the data of " + size);
      run.row->dataOk = checkData(run, std::move(data));
    }
  }

  void report(Run &run, SimResult result) const {
    SizeResult &row = run.row.emplace(
        makeSizeResult(bound, run.sizing, std::move(result), request.options.repeat));
    if (bounds)
      row.bound = bounds->of(run.sizing);
    if (run.isLast)
      run.costs = costsOf(row, bound);
    if (!request.options.criticalPath)
      row.criticalPath.clear();
  }

  /// Checks the data under every placement of the plan. Those of the first placement are from the
  /// timed run; each further placement needs another run.
  bool checkData(Run &run, std::unique_ptr<CheckedData> timed) const {
    bool right = true;
    for (Placement placement : bound.plan.info().placements.list()) {
      std::unique_ptr<CheckedData> data = std::move(timed);
      if (!data) {
        data =
            std::make_unique<CheckedData>(bound, run.sizing, request.op, placement, request.seed);
        std::unique_ptr<NetworkModel> network = createNetwork(request.network, bound.routes);
        SimOptions options;
        options.listeners = {&data->executor};
        options.repeat = request.options.repeat;
        options.skew = request.options.skew;
        options.randomSchedule = request.options.randomSchedule;
        simulate(bound, run.sizing, *network, options);
      }
      right &= check(data->executor, run, placement);
    }
    return right;
  }

  /// Whether the data were correct after every run.
  bool check(DataExecutor &data, Run &run, Placement placement) const {
    data.finish();
    std::optional<DataMismatch> mismatch = data.check();
    if (mismatch)
      run.diags.error(
          {}, mismatchText(*mismatch, placement, run.sizing.requested, request.options.repeat));
    return !mismatch;
  }

  const SizeRunRequest &request;
  const BoundPlan &bound;
  std::optional<PlanBound> bounds;
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
