//===- StepsCommand.cpp - Simulating a plan of steps ----------------------===//
//
// The plan is bound to the machine and proved with its limits; skew, random schedules, the inputs
// of other simulators and advice are for steps alone.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "PlanSimulation.h"
#include "SkewOption.h"

#include "cclc/Search/Advise/Advise.h"
#include "cclc/Sim/MachineProof.h"
#include "cclc/Views/Export/Chakra.h"

using namespace cclc;

/// The options of a simulation of steps alone.
static LogicalResult readOptions(const SimArguments &args, const PlacedPlan &placed,
                                 SimulatorSettings &how, DiagnosticEngine &diags) {
  FailureOr<std::vector<Skew>> skew = parseSkew(args.skew, placed.plan.ranks(), diags);
  if (failed(skew) || failed(checkSkew(*skew, enginesTakeTime(placed), placed.machine.name, diags)))
    return failure();
  how.options.skew = std::move(*skew);
  how.options.randomSchedule = args.randomSchedule;
  how.seed = args.seed;
  return success();
}

static ExitCode runBound(SimArguments &args, const PlacedPlan &placed, const RolledForm *form,
                         Progress &progress, DiagnosticEngine &diags) {
  for (uint32_t r = 0; args.chakra && r < placed.plan.ranks(); ++r)
    args.named.output("--emit-chakra", ChakraTraces::fileName(*args.chakra, RankId(r)));
  if (failed(args.named.check(diags)))
    return ExitCode::Unusable;
  warnOfEqualRoutes(placed, diags);
  if (failed(checkNetwork(args.network.value_or(placed.machine.network), diags)))
    return ExitCode::Unusable;
  progress.stage("verify");
  PlanProof proof = form ? provePlan(placed, form->plan, diags) : provePlan(placed, diags);
  if (proof.verdict != Verdict::Ok)
    return ExitCode::Wrong;
  SimulatorSettings how = settingsOf(args, placed.machine, diags);
  if (failed(readOptions(args, placed, how, diags)))
    return ExitCode::Unusable;
  const SimOptions options = how.options;
  std::unique_ptr<Simulator> simulator =
      createSimulator(placed, proof.slotsNeeded, std::move(how), form);
  auto advise = [&](const SweepResult &summary) {
    dsl::ProgramRegistry programs;
    dsl::registerAllPrograms(programs);
    return cclc::advise({placed, summary, options, proof.slotsNeeded, args.jobs, programs,
                         args.resources.targets, args.target, args.network, args.slots, args.sets,
                         [&](StringRef stage) { progress.stage(stage); }});
  };
  return simulateSizes(
      args,
      {*simulator, [&](const SizeResult &size) { return whatIfCandidates(placed, size); },
       [&](const SweepResult &summary) { return timesOfLastSize(placed, summary, options); },
       advise},
      progress, diags);
}

ExitCode cclc::runSteps(SimArguments &args, const ExecPlan &plan,
                        const std::optional<RolledForm> &form, Progress &progress,
                        DiagnosticEngine &diags) {
  FailureOr<Machine> machine = args.loadMachineOfRun(&plan.info(), diags);
  if (failed(machine))
    return ExitCode::Unusable;
  Slots slots = args.slots.value_or(machine->slotsFor(plan.info()));
  FailureOr<PlacedPlan> placed = PlacedPlan::create(plan, *machine, slots, diags);
  return failed(placed) ? ExitCode::Unusable
                        : runBound(args, *placed, form ? &*form : nullptr, progress, diags);
}
