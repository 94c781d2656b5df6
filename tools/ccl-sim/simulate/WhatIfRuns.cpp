//===- WhatIfRuns.cpp - Runs with one faster resource ---------------------===//
//
// Each candidate is a copy of the machine with one cost removed or reduced, on which the last size
// is simulated again; candidates run in parallel. Only those with a gain if they are free are tried
// at three higher speeds. A small change of one speed can reorder events and gain or lose more than
// the resource costs, so that a gain counts only if it never falls from one speed to the next.
//
//===----------------------------------------------------------------------===//

#include "WhatIfRuns.h"

#include "cclc/Support/Parallel.h"

using namespace cclc;

namespace {
/// A run and its result.
struct Trial {
  std::vector<std::string> settings;
  bool unlimitedSlots = false;
  std::optional<SimTime> time; ///< unset if the run has failed
  DiagnosticEngine diags;
};

/// Simulates again with the settings of \p trial.
void run(Trial &trial, const WhatIfRequest &request) {
  FailureOr<Machine> other = request.load(trial.settings, trial.diags);
  if (failed(other))
    return;
  FailureOr<SimTime> time = request.time(*other, trial.unlimitedSlots, trial.diags);
  if (succeeded(time))
    trial.time = *time;
}

/// Runs all of \p trials; fails with the diagnostics of the first that fails.
LogicalResult runAll(std::vector<Trial> &trials, const WhatIfRequest &request,
                     DiagnosticEngine &diags) {
  parallelFor(request.jobs, trials.size(), [&](size_t i) { run(trials[i], request); });
  for (Trial &trial : trials) {
    diags.append(std::move(trial.diags));
    if (!trial.time)
      return failure();
  }
  return success();
}
} // namespace

TimeOnMachine cclc::timesOfLastSize(const PlacedPlan &placed, const SweepResult &report,
                                    const SimOptions &options) {
  return [&placed, &report, options](const Machine &machine, bool unlimitedSlots,
                                     DiagnosticEngine &diags) -> FailureOr<SimTime> {
    Slots slots = unlimitedSlots ? Slots::unlimited() : placed.slots;
    FailureOr<PlacedPlan> again = PlacedPlan::create(placed.plan, machine, slots, diags);
    if (failed(again))
      return failure();
    FailureOr<Sizing> sizing =
        Sizing::create(*again, report.sizes.back().bytes, report.type, diags);
    if (failed(sizing))
      return failure();
    std::unique_ptr<NetworkModel> network = createNetwork(report.network, again->routes);
    SimOptions run = options;
    run.criticalPath = false;
    SimTime time = simulate(*again, *sizing, *network, run).time;
    return SimTime(time.picoseconds() / run.repeat);
  };
}

FailureOr<WhatIfResult> cclc::runWhatIf(WhatIfRequest request, Progress &progress,
                                        DiagnosticEngine &diags) {
  std::vector<WhatIfCandidate> &candidates = request.candidates;
  progress.stage("what if");
  std::vector<Trial> trials;
  for (const WhatIfCandidate &candidate : candidates)
    trials.push_back({candidate.row.settings, candidate.row.settings.empty(), {}, {}});
  if (failed(runAll(trials, request, diags)))
    return failure();
  for (size_t i = 0; i < candidates.size(); ++i)
    candidates[i].row.time = *trials[i].time;
  SimTime normal = request.normal;
  llvm::erase_if(candidates, [&](const WhatIfCandidate &c) { return c.row.time >= normal; });

  trials.clear();
  for (const WhatIfCandidate &candidate : candidates)
    for (uint32_t percent : {101, 110, 200})
      if (candidate.faster)
        trials.push_back({candidate.faster(percent), false, {}, {}});
  if (failed(runAll(trials, request, diags)))
    return failure();
  WhatIfResult result;
  SimTime largest;
  size_t next = 0;
  for (WhatIfCandidate &candidate : candidates) {
    WhatIf &row = candidate.row;
    if (candidate.faster) {
      row.faster = {*trials[next].time, *trials[next + 1].time, *trials[next + 2].time};
      next += 3;
    }
    bool isMonotone = row.isMonotone(normal);
    if (row.faster && isMonotone && candidate.isSingle && normal - row.faster->percent > largest) {
      largest = normal - row.faster->percent;
      result.best = row.what;
    }
    (isMonotone ? result.rows : result.noise).push_back(std::move(row));
  }
  for (std::vector<WhatIf> *rows : {&result.rows, &result.noise})
    llvm::sort(*rows, [](const WhatIf &a, const WhatIf &b) {
      return a.time != b.time ? a.time < b.time : a.what < b.what;
    });
  return result;
}
