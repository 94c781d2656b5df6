//===- SizeRun.cpp - A plan simulated with one size -----------------------===//
//
// The run that is timed also moves the data of the first placement, and records the critical path;
// those of further placements are moved by runs of their own.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/SizeRun.h"

#include "cclc/Sim/CheckedData.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

/// The maximum number of executions that are recorded without SimOptions::criticalPath, for costs
/// alone: 112 MB.
static constexpr uint64_t maxRecordedUnasked = 2'000'000;

SizeRunner::SizeRunner(SizeRunSettings with) : settings(std::move(with)) {
  if (settings.bounds)
    bounds.emplace(settings.bound, settings.network, settings.options.repeat, *settings.bounds);
}

uint64_t SizeRunner::executions(const Sizing &sizing) const {
  return sizing.executions(settings.bound) * settings.options.repeat;
}

bool SizeRunner::checksData() const {
  return settings.checkData && settings.bound.plan.info().collective.hasPostCondition();
}

LogicalResult SizeRunner::check(const Sizing &sizing, const SimResult &result,
                                DiagnosticEngine &diags) const {
  if (result.time == SimTime::max())
    return diags.error({}, formatv("{0} bytes on target {1} take longer than 53 days of simulated "
                                   "time, the limit of the clock",
                                   sizing.requested.count(), settings.bound.machine.name));
  if (!result.completed)
    return diags.error({}, "the plan was verified, but its execution did not complete")
        .as(Failure::Defect);
  return success();
}

FailureOr<SizeRun> SizeRunner::run(const Sizing &sizing, bool details, const Hooks &hooks,
                                   DiagnosticEngine &diags) const {
  const BoundPlan &bound = settings.bound;
  auto stage = [&](const std::string &text) {
    if (hooks.onStage)
      hooks.onStage(text);
  };
  std::string size = std::to_string(sizing.requested.count()) + " bytes";
  stage("simulate " + size);
  uint64_t all = executions(sizing);
  SimOptions options = settings.options;
  options.criticalPath |= details && all <= maxRecordedUnasked;
  options.onProgress = [&](uint64_t steps) {
    stage(formatv("simulate {0}, {1} %", size, steps * 100 / all));
  };
  std::optional<PlacementCheck> data;
  if (checksData()) {
    data.emplace(bound, sizing, settings.op, settings.seed);
    options.listeners = {&data->listener()};
  }
  std::unique_ptr<NetworkModel> network = createNetwork(settings.network, bound.routes);
  FailureOr<SimResult> result = hooks.simulate ? hooks.simulate(*network, options)
                                               : simulate(bound, sizing, *network, options);
  if (failed(result) || failed(check(sizing, *result, diags)))
    return failure();
  SizeRun made{makeSizeResult(bound, sizing, std::move(*result), options.repeat)};
  SizeResult &row = made.row;
  if (bounds)
    row.bound = bounds->of(sizing);
  if (details)
    made.costs = costsOf(row, bound);
  if (!settings.options.criticalPath)
    row.criticalPath.clear();
  if (data) {
    stage("check the data of " + size);
    SimOptions again = settings.options;
    again.criticalPath = false;
    row.dataOk = data->check(settings.network, again, diags);
  }
  return made;
}
