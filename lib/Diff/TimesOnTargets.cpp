//===- TimesOnTargets.cpp - Both plans on the targets of a request --------===//
//
// The plans are bound by the caller, which knows their kind. All types and sizes are simulated on
// one target before the next one is loaded.
//
//===----------------------------------------------------------------------===//

#include "TimesOnTargets.h"

#include "cclc/Sim/Network/Network.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::diff;
using llvm::formatv;

/// The maximum number of executions that are recorded for a critical path: about 2 GB.
static constexpr uint64_t maxRecorded = 40'000'000;

/// Fails if one of the plans is not proved.
static LogicalResult checkProved(const DiffResult &result, DiagnosticEngine &diags) {
  const std::pair<const Figures &, const std::string &> sides[] = {
      {result.diff.figuresBefore, result.oldName}, {result.diff.figuresAfter, result.newName}};
  for (const auto &[figures, name] : sides)
    if (figures.proof.verdict != Verdict::Ok)
      return diags.error({}, formatv("{0} cannot be timed: {1}", name, figures.flaw))
          .as(Failure::Wrong);
  return success();
}

static LogicalResult addTimesOn(const TargetRequest &target, const TimesRequest &request,
                                DiffResult &result, DiagnosticEngine &diags,
                                TimeOnMachine onMachine) {
  const PlanDiff &plans = result.diff;
  FailureOr<Machine> machine =
      loadTargetFor({&plans.before.info(), &plans.after.info()}, target, diags);
  if (failed(machine))
    return failure();
  result.targets.push_back(machine->stamp);
  std::string network = request.network.value_or(machine->network);
  if (failed(checkNetwork(network, diags)))
    return failure();
  SimulatorSettings how{.network = network, .mostRecorded = maxRecorded};
  how.options.criticalPath = true;
  return onMachine(*machine, how, [&](Simulator &before, Simulator &after) -> LogicalResult {
    for (DataType type : result.types)
      for (uint64_t bytes : request.sizes) {
        if (request.onStage)
          request.onStage(formatv("simulate {0} bytes", bytes).str());
        FailureOr<SizeResult> old = before.at(Bytes(bytes), type, diags),
                              now = after.at(Bytes(bytes), type, diags);
        if (failed(old) || failed(now))
          return failure();
        TimeDiff time = compareTimes(*old, *now, plans);
        time.target = machine->stamp.title();
        time.type = type;
        result.times.push_back(std::move(time));
      }
    return success();
  });
}

LogicalResult diff::addTimesOnTargets(const TimesRequest &request, DiffResult &result,
                                      DiagnosticEngine &diags, TimeOnMachine onMachine) {
  if (failed(checkProved(result, diags)))
    return failure();
  for (const TargetRequest &target : request.targets)
    if (failed(addTimesOn(target, request, result, diags, onMachine)))
      return failure();
  return success();
}
