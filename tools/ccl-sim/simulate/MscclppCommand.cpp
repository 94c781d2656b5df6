//===- MscclppCommand.cpp - Plans of MSCCL++ in ccl-sim -------------------===//
//
// Such a plan has operations instead of steps. Reports and traces show those of the file.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "PlanSimulation.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Mscclpp/Executor.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Mscclpp/Proof/Verify.h"
#include "cclc/Sim/Mscclpp/Simulator.h"

using namespace cclc;

LogicalResult cclc::checkMscclppOptions(const SimArguments &args, DiagnosticEngine &diags) {
  if (args.measured)
    return diags.error({}, "--measured compares with a run of ccl-run, which executes plans of "
                           "steps, not those of MSCCL++: convert the plan with cclc convert, run "
                           "and simulate the result");
  const std::pair<bool, const char *> ofSteps[] = {
      {args.slots.has_value(), "--slots"},
      {!args.skew.empty(), "--skew"},
      {args.seed.has_value(), "--seed"},
      {args.schedule.has_value(), "--schedule"},
      {args.advise, "--advise"},
      {args.goal.has_value(), "--emit-goal"},
      {args.chakra.has_value(), "--emit-chakra"},
  };
  for (auto [given, name] : ofSteps)
    if (given)
      return diags.error({}, std::string(name) + " applies to plans of steps, not to those of "
                                                 "MSCCL++: convert the plan with cclc convert");
  return mscclpp::checkElements(args.op, args.type, diags);
}

/// The time of a launch with the last size on other machines.
static TimeOnMachine timesOf(const mscclpp::Plan &plan, const SweepResult &summary) {
  return [&](const Machine &machine, bool, DiagnosticEngine &diags) -> FailureOr<SimTime> {
    FailureOr<mscclpp::PlacedPlan> placed = mscclpp::PlacedPlan::create(plan, machine, diags);
    FailureOr<mscclpp::SizedPlan> sized =
        mscclpp::SizedPlan::create(plan, summary.sizes.back().bytes, summary.type, diags);
    if (failed(placed) || failed(sized))
      return failure();
    std::unique_ptr<NetworkModel> network = createNetwork(summary.network, placed->routes);
    SimTime time = mscclpp::simulate(*placed, *sized, *network, {.repeat = summary.repeat}).time;
    return SimTime(time.picoseconds() / summary.repeat);
  };
}

ExitCode cclc::runMscclpp(const SimArguments &args, StringRef text, Progress &progress,
                          DiagnosticEngine &diags) {
  if (failed(checkMscclppOptions(args, diags)))
    return ExitCode::Unusable;
  FailureOr<mscclpp::Plan> plan = mscclpp::readJson(text, planFileName(args.files.front()), diags);
  if (failed(plan))
    return ExitCode::Unusable;
  FailureOr<Machine> machine = args.loadMachineOfRun(&plan->info(), diags);
  if (failed(machine))
    return ExitCode::Unusable;
  FailureOr<mscclpp::PlacedPlan> placed = mscclpp::PlacedPlan::create(*plan, *machine, diags);
  if (failed(placed) || failed(checkNetwork(args.network.value_or(machine->network), diags)))
    return ExitCode::Unusable;
  progress.stage("verify");
  if (failed(mscclpp::checkExecutor(*plan, diags)))
    return ExitCode::Wrong;
  Verdict verdict = mscclpp::verify(*plan, diags).verdict;
  if (verdict != Verdict::Ok)
    return exitCodeOf(failureOf(verdict));
  std::unique_ptr<Simulator> simulator =
      mscclpp::createSimulator(*placed, settingsOf(args, *machine, diags));
  auto resources = [&](const SizeResult &size) {
    return whatIfCandidatesOfMscclpp(*machine, size);
  };
  return simulateSizes(args,
                       {*simulator, resources,
                        [&](const SweepResult &summary) { return timesOf(*plan, summary); },
                        /*advise=*/{}},
                       progress, diags);
}
