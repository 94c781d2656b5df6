//===- WhatIfRuns.cpp - Idealised runs, sorted by gain --------------------===//
//
// Each candidate is a copy of the machine with one cost removed, on which the last size is
// bound and simulated again; candidates run in parallel.
//
//===----------------------------------------------------------------------===//

#include "WhatIfRuns.h"

#include "WhatIfCandidates.h"
#include "cclc/Support/Parallel.h"

using namespace cclc;

namespace {
/// A run and its result.
struct Trial {
  SimTime time;
  bool failed = false;
  DiagnosticEngine diags;
};

/// Simulates the last size again, with the resource of \p row free.
FailureOr<SimTime> timeWithout(const WhatIf &row, const WhatIfRequest &request,
                               DiagnosticEngine &diags) {
  const BoundPlan &bound = request.bound;
  FailureOr<Machine> other = request.load(row.settings, diags);
  if (failed(other))
    return failure();
  Slots slots = row.settings.empty() ? Slots::unlimited() : bound.slots;
  FailureOr<BoundPlan> again = BoundPlan::create(bound.plan, *other, slots, diags);
  if (failed(again))
    return failure();
  FailureOr<Sizing> sizing =
      Sizing::create(*again, request.report.sizes.back().bytes, request.report.type, diags);
  if (failed(sizing))
    return failure();
  std::unique_ptr<NetworkModel> network = createNetwork(request.report.network, again->routes);
  SimOptions options = request.options;
  options.criticalPath = false;
  SimTime time = simulate(*again, *sizing, *network, options).time;
  return SimTime(time.picoseconds() / options.repeat);
}
} // namespace

FailureOr<std::vector<WhatIf>> cclc::runWhatIf(const WhatIfRequest &request, Progress &progress,
                                               DiagnosticEngine &diags) {
  std::vector<WhatIf> rows = whatIfCandidates(request.bound, request.report.sizes.back());
  progress.stage("what if");
  std::vector<Trial> trials(rows.size());
  parallelFor(request.jobs, rows.size(), [&](size_t i) {
    FailureOr<SimTime> time = timeWithout(rows[i], request, trials[i].diags);
    trials[i].failed = failed(time);
    if (succeeded(time))
      trials[i].time = *time;
  });
  for (size_t i = 0; i < rows.size(); ++i) {
    diags.append(std::move(trials[i].diags));
    if (trials[i].failed)
      return failure();
    rows[i].time = trials[i].time;
  }
  SimTime normal = request.report.sizes.back().time;
  llvm::erase_if(rows, [&](const WhatIf &row) { return row.time >= normal; });
  std::sort(rows.begin(), rows.end(), [](const WhatIf &a, const WhatIf &b) {
    return a.time != b.time ? a.time < b.time : a.what < b.what;
  });
  return rows;
}
