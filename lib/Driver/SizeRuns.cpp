#include "SizeRuns.h"

#include "Parallel.h"
#include "Replay.h"
#include "SizeVerifier.h"
#include "TraceOption.h"

#include "cclc/Sim/Goal.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace cclc;
using llvm::formatv;

namespace {
/// Executions of steps that are recorded for a critical path at most: some 5 GB.
constexpr uint64_t maxRecorded = 100'000'000;
/// The same where nobody asked for it, so that the summary can say what cost most: 112 MB.
constexpr uint64_t maxRecordedUnasked = 2'000'000;

/// One size, and what came out.
struct Run {
  Sizing sizing;
  bool isLast = false;
  ExitCode code = ExitCode::Success;
  std::optional<SizeReport> row;
  std::vector<Cost> costs;
  DiagnosticEngine diags;
};

class Runner {
public:
  Runner(const SizeRunRequest &request, Progress &progress)
      : request(request), bound(request.bound), cuts(request.bound, request.network),
        progress(progress) {}

  /// Those of \p sizes that are safe.
  FailureOr<std::vector<Run>> prepare(ArrayRef<uint64_t> sizes, bool &allSafe,
                                      DiagnosticEngine &diags) {
    SizeVerifier verifier(bound, request.slotsNeeded);
    std::vector<Run> runs;
    for (uint64_t size : sizes) {
      FailureOr<Sizing> sizing = Sizing::create(bound, Bytes(size), request.type, diags);
      if (failed(sizing))
        return failure();
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

  void runAll(std::vector<Run> &runs) {
    parallelFor(request.jobs, runs.size(), [&](size_t i) {
      run(runs[i]);
      std::lock_guard lock(reporting);
      ++done;
      if (request.jobs > 1)
        progress.stage(formatv("simulated {0} of {1} sizes", done, runs.size()));
    });
  }

private:
  uint64_t executions(const Sizing &sizing) const {
    return sizing.executions(bound) * request.options.repeat;
  }
  bool checks() const {
    return request.checkData && bound.plan.info().collective.hasPostCondition();
  }
  /// Where several sizes run at a time, only how many are done is told.
  void stage(const llvm::Twine &what) {
    if (request.jobs <= 1)
      progress.stage(what);
  }

  void run(Run &run) {
    const Sizing &sizing = run.sizing;
    std::string size = std::to_string(sizing.requested.count()) + " bytes";
    stage("simulate " + size);
    auto fail = [&](ExitCode code) { run.code = code; };
    if (request.goal &&
        (failed(checkGoal(bound, sizing, run.diags)) ||
         failed(writeFile(
             *request.goal, [&](raw_ostream &os) { writeGoal(bound, sizing, os); }, run.diags))))
      return fail(ExitCode::Unusable);
    SimOptions options = request.options;
    options.criticalPath |= run.isLast && executions(sizing) <= maxRecordedUnasked;
    options.onProgress = [&](uint64_t steps) {
      stage(formatv("simulate {0}, {1} %", size, steps * 100 / executions(sizing)));
    };
    // Runs that are repeated would begin with the results of the one before.
    std::unique_ptr<DataExecutor> data;
    if (checks() && options.repeat == 1) {
      data = std::make_unique<DataExecutor>(
          bound, sizing, request.op, bound.plan.info().placements.list().front(), request.seed);
      options.listeners = {data.get()};
    }
    std::unique_ptr<NetworkModel> network = createNetwork(request.network, bound);
    FailureOr<SimResult> result =
        request.trace ? simulateTraced(*request.trace, bound, sizing, *network, options, run.diags)
                      : simulate(bound, sizing, *network, options);
    if (failed(result))
      return fail(ExitCode::Unusable);
    if (result->time == SimTime::max()) {
      run.diags.error({}, formatv("{0} on target {1} take longer than 53 days of simulated time, "
                                  "the most that the clock holds",
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
    SizeReport &row = run.row.emplace(
        makeSizeReport(bound, run.sizing, std::move(result), request.options.repeat));
    row.bound = cuts.tightest(run.sizing);
    if (run.isLast)
      run.costs = costsOf(row, bound);
    if (!request.options.criticalPath)
      row.criticalPath.clear();
  }

  /// Checks the data under every placement that the plan is offered for. Those of the
  /// first one were moved in the run that was timed; else there is another run.
  bool checkData(Run &run, std::unique_ptr<DataExecutor> timed) const {
    bool right = true;
    for (Placement placement : bound.plan.info().placements.list()) {
      std::unique_ptr<DataExecutor> data = std::move(timed);
      if (!data) {
        data =
            std::make_unique<DataExecutor>(bound, run.sizing, request.op, placement, request.seed);
        std::unique_ptr<NetworkModel> network = createNetwork(request.network, bound);
        SimOptions options;
        options.listeners = {data.get()};
        options.randomSchedule = request.options.randomSchedule;
        simulate(bound, run.sizing, *network, options);
      }
      right &= compare(*data, run, placement);
    }
    return right;
  }

  /// Compares the data after a run with what they must be.
  bool compare(DataExecutor &data, Run &run, Placement placement) const {
    data.finish();
    std::optional<DataMismatch> mismatch;
    if (request.seed) {
      Replay replay(bound, run.sizing, data.input(), request.op, placement);
      mismatch =
          data.check([&](RankId rank, uint32_t chunk) { return replay.expected(rank, chunk); });
    } else {
      mismatch = data.check();
    }
    if (!mismatch)
      return true;
    std::string text =
        formatv("wrong data {0} at {1} bytes: r{2}:o[{3}], element {4} of the "
                "output: expected {5}, got {6}",
                placement == Placement::InPlace ? "in place" : "out of place",
                run.sizing.requested.count(), mismatch->rank.index(), mismatch->chunk,
                mismatch->element, mismatch->expected, mismatch->got);
    if (mismatch->more)
      text += formatv(" ({0} more wrong {1})", mismatch->more,
                      mismatch->more == 1 ? "element" : "elements");
    run.diags.error({}, text);
    return false;
  }

  const SizeRunRequest &request;
  const BoundPlan &bound;
  CutBounds cuts;
  Progress &progress;
  std::mutex reporting;
  size_t done = 0;
};
} // namespace

std::variant<SizeRuns, ExitCode> cclc::runSizes(const SizeRunRequest &request,
                                                ArrayRef<uint64_t> sizes, Progress &progress,
                                                DiagnosticEngine &diags) {
  SizeRuns result;
  Runner runner(request, progress);
  FailureOr<std::vector<Run>> runs = runner.prepare(sizes, result.allRight, diags);
  if (failed(runs))
    return ExitCode::Unusable;
  runner.runAll(*runs);
  for (Run &run : *runs) {
    diags.append(std::move(run.diags));
    if (run.code != ExitCode::Success)
      return run.code;
    result.allRight &= run.row->dataOk.value_or(true);
    result.rows.push_back(std::move(*run.row));
    result.costs = std::move(run.costs);
  }
  return result;
}
