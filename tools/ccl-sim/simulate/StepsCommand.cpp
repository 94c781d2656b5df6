//===- StepsCommand.cpp - Simulating a plan of steps ----------------------===//
//
// Binds the plan to the machine, proves it, simulates it for all sizes, and adds the results that
// require further runs: what-if, advice and the report.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "ReportCommand.h"
#include "SizeRuns.h"
#include "SkewOption.h"
#include "WhatIfRuns.h"
#include "advise/AdviceRuns.h"

#include "cclc/Sim/MachineProof.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Views/Export/Chakra.h"

using namespace cclc;

namespace {
class StepsRun {
public:
  StepsRun(SimArguments &args, const BoundPlan &bound, Progress &progress, DiagnosticEngine &diags)
      : args(args), bound(bound), progress(progress), diags(diags) {}

  ExitCode run();

private:
  LogicalResult readOptions(SimOptions &options);
  /// Adds the results that require further runs.
  LogicalResult addInsights(SweepOutput &output, const SimOptions &options,
                            std::optional<uint32_t> slotsNeeded, DiagnosticEngine &found);
  AdviceRequest adviceRequest(const SweepResult &summary, const SimOptions &options,
                              std::optional<uint32_t> slotsNeeded) const;

  SimArguments &args;
  const BoundPlan &bound;
  Progress &progress;
  DiagnosticEngine &diags;
};
} // namespace

/// Reports memory that \p run takes beyond the limit, so that the results before it are kept.
static LogicalResult withinMemory(llvm::function_ref<LogicalResult()> run,
                                  DiagnosticEngine &diags) {
  try {
    return run();
  } catch (const MemoryExceeded &exceeded) {
    return diags.error({}, exceeded.text());
  }
}

LogicalResult StepsRun::readOptions(SimOptions &options) {
  options.repeat = args.repeat;
  options.criticalPath = args.criticalPath;
  options.randomSchedule = args.randomSchedule;
  FailureOr<std::vector<Skew>> skew = parseSkew(args.skew, bound.plan.ranks(), diags);
  if (failed(skew) || failed(checkSkew(*skew, enginesTakeTime(bound), bound.machine.name, diags)))
    return failure();
  options.skew = std::move(*skew);
  return success();
}

ExitCode StepsRun::run() {
  const ExecPlan &plan = bound.plan;
  const Machine &machine = bound.machine;
  for (uint32_t r = 0; args.chakra && r < plan.ranks(); ++r)
    args.named.output("--emit-chakra", ChakraTraces::fileName(*args.chakra, RankId(r)));
  if (failed(args.named.check(diags)))
    return ExitCode::Unusable;
  warnOfEqualRoutes(bound, diags);
  std::string network = args.network.value_or(machine.network);
  if (failed(checkNetwork(network, diags)))
    return ExitCode::Unusable;
  progress.stage("verify");
  PlanProof proof = provePlan(bound, diags);
  if (proof.verdict != Verdict::Ok)
    return ExitCode::Wrong;
  if (args.checkData && !plan.info().collective.hasPostCondition())
    diags.warning({}, "the collective has no post-condition: the data are not compared");

  SweepResult summary;
  summary.target = machine.stamp;
  summary.network = network;
  summary.slots = bound.slots;
  summary.type = args.type;
  summary.op = args.op;
  summary.repeat = args.repeat;
  summary.conditions = {args.skew, args.schedule};
  SimOptions options;
  if (failed(readOptions(options)))
    return ExitCode::Unusable;
  SizeRunRequest request{{bound, network, args.op, options, args.checkData, args.seed,
                          args.boundEffort(machine, diags)},
                         args.type,
                         proof.slotsNeeded,
                         args.goal,
                         args.chakra,
                         args.trace,
                         runSettings(summary, bound),
                         args.jobs};
  SweepOutput output(std::move(summary), bound, {args.summarise, args.json, args.format}, progress,
                     diags);
  ExitCode code = runSizes(request, args.sizes, output, progress, diags);
  DiagnosticEngine found; // separate, because the report prints `diags` on an interrupt until it is
                          // closed
  auto insights = [&] { return addInsights(output, options, proof.slotsNeeded, found); };
  if (code <= ExitCode::Wrong && failed(withinMemory(insights, found)))
    code = ExitCode::Unusable;
  output.close();
  diags.append(std::move(found));
  if (failed(code <= ExitCode::Wrong ? output.finish() : output.abandon()))
    code = std::max(code, ExitCode::Unusable);
  return code;
}

LogicalResult StepsRun::addInsights(SweepOutput &output, const SimOptions &options,
                                    std::optional<uint32_t> slotsNeeded, DiagnosticEngine &found) {
  const SweepResult &summary = output.get();
  if (summary.sizes.empty())
    return success();
  if (args.whatIf) {
    WhatIfRequest request{whatIfCandidates(bound, summary.sizes.back()), summary.sizes.back().time,
                          args.jobs,
                          [&](ArrayRef<std::string> changes, DiagnosticEngine &diags) {
                            return args.loadMachine(&bound.plan.info(), diags, changes);
                          },
                          timesOfLastSize(bound, summary, options)};
    FailureOr<WhatIfResult> rows = runWhatIf(std::move(request), progress, found);
    if (failed(rows))
      return failure();
    output.setWhatIf(std::move(*rows));
  }
  if (args.advise)
    output.setAdvice(runAdvice(adviceRequest(summary, options, slotsNeeded), progress));
  if (!args.report)
    return success();
  return writeReport({args.files.front(), bound, summary, options, args.baseline, args.measured,
                      args.resources.reportPage,
                      args.bounds ? BoundEffort::Full : BoundEffort::Limited},
                     *args.report, progress, found);
}

AdviceRequest StepsRun::adviceRequest(const SweepResult &summary, const SimOptions &options,
                                      std::optional<uint32_t> slotsNeeded) const {
  return {bound,
          summary,
          options,
          slotsNeeded,
          args.jobs,
          args.resources,
          args.target,
          args.network,
          args.slots,
          args.sets,
          [this](const ExecPlan &plan, ArrayRef<std::string> changes, DiagnosticEngine &diags) {
            return args.loadMachine(&plan.info(), diags, changes);
          }};
}

ExitCode cclc::runSteps(SimArguments &args, const ExecPlan &plan, Progress &progress,
                        DiagnosticEngine &diags) {
  FailureOr<Machine> machine = args.loadMachineOfRun(&plan.info(), diags);
  if (failed(machine))
    return ExitCode::Unusable;
  Slots slots = args.slots.value_or(machine->slotsFor(plan.info()));
  FailureOr<BoundPlan> bound = BoundPlan::create(plan, *machine, slots, diags);
  if (failed(bound))
    return ExitCode::Unusable;
  return StepsRun(args, *bound, progress, diags).run();
}
