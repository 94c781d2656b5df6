//===- PlanTimes.cpp - Two plans on the same machines ---------------------===//
//
// Each size is proved with the slots of the machine before it is simulated. Critical paths are
// recorded while they fit into memory.
//
//===----------------------------------------------------------------------===//

#include "cclc/Diff/PlanTimes.h"

#include "cclc/Constraints/PlanCheck.h"
#include "cclc/Sim/SizeSimulation.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::diff;
using llvm::formatv;

namespace {
/// The maximum number of executions that are recorded for a critical path: about 2 GB.
constexpr uint64_t maxRecorded = 40'000'000;

/// A plan on one machine.
struct Side {
  BoundPlan bound;
  SizeVerifier verifier;

  Side(BoundPlan on, const Figures &figures)
      : bound(std::move(on)), verifier(bound, figures.proof.slotsNeeded) {}

  FailureOr<SizeResult> simulate(StringRef network, uint64_t bytes, DataType type,
                                 DiagnosticEngine &diags) {
    FailureOr<Sizing> sizing = proveSize(bound, verifier, Bytes(bytes), type, diags);
    if (failed(sizing))
      return failure();
    SimOptions options;
    options.criticalPath = sizing->executions(bound) <= maxRecorded;
    FailureOr<SimResult> result = simulateProved(bound, *sizing, network, options, diags);
    if (failed(result))
      return failure();
    return makeSizeResult(bound, *sizing, std::move(*result), /*repeat=*/1);
  }
};

ExitCode addTimesOn(const TargetRequest &target, const TimesRequest &request, DiffResult &result,
                    DiagnosticEngine &diags) {
  const PlanDiff &plans = result.diff;
  FailureOr<Machine> machine =
      loadTargetFor({&plans.before->info(), &plans.after->info()}, target, diags);
  if (failed(machine))
    return ExitCode::Unusable;
  result.targets.push_back(machine->stamp);
  std::string network = request.network.value_or(machine->network);
  if (failed(checkNetwork(network, diags)))
    return ExitCode::Unusable;
  auto bind = [&](const ExecPlan &plan) {
    return BoundPlan::create(plan, *machine, request.slots.value_or(machine->slotsFor(plan.info())),
                             diags);
  };
  FailureOr<BoundPlan> oldBound = bind(*plans.before), newBound = bind(*plans.after);
  if (failed(oldBound) || failed(newBound))
    return ExitCode::Unusable;
  if (failed(checkPlan(*plans.after, *machine, newBound->slots, diags)))
    return ExitCode::Wrong;
  Side before(std::move(*oldBound), plans.figuresBefore),
      after(std::move(*newBound), plans.figuresAfter);
  for (DataType type : result.types)
    for (uint64_t bytes : request.sizes) {
      if (request.onStage)
        request.onStage(formatv("simulate {0} bytes", bytes).str());
      FailureOr<SizeResult> old = before.simulate(network, bytes, type, diags),
                            now = after.simulate(network, bytes, type, diags);
      if (failed(old) || failed(now))
        return ExitCode::Wrong;
      TimeDiff time = compareTimes(*old, *now, plans);
      time.target = machine->stamp.title();
      time.type = type;
      result.times.push_back(std::move(time));
    }
  return ExitCode::Success;
}
} // namespace

LogicalResult diff::checkProved(const DiffResult &result, DiagnosticEngine &diags) {
  const std::pair<const Figures &, const std::string &> sides[] = {
      {result.diff.figuresBefore, result.oldName}, {result.diff.figuresAfter, result.newName}};
  for (const auto &[figures, name] : sides)
    if (figures.proof.verdict != Verdict::Ok)
      return diags.error({}, formatv("{0} cannot be timed: {1}", name, figures.flaw));
  return success();
}

ExitCode diff::addTimes(const TimesRequest &request, DiffResult &result, DiagnosticEngine &diags) {
  if (failed(checkProved(result, diags)))
    return ExitCode::Wrong;
  for (const TargetRequest &target : request.targets)
    if (ExitCode code = addTimesOn(target, request, result, diags); code != ExitCode::Success)
      return code;
  return ExitCode::Success;
}
