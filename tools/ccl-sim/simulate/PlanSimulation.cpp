//===- PlanSimulation.cpp - The simulation of one plan --------------------===//
//
// Results of sizes are reported as they come; what-if, advice and the report follow, with the last
// size. A lack of memory in these keeps the results.
//
//===----------------------------------------------------------------------===//

#include "PlanSimulation.h"

#include "SizeRuns.h"

#include "cclc/Support/MemoryBudget.h"
#include "cclc/Tools/SimulationReport.h"

using namespace cclc;

SimulatorSettings cclc::settingsOf(const SimArguments &args, const Machine &machine,
                                   DiagnosticEngine &diags) {
  SimulatorSettings how{.network = args.network.value_or(machine.network),
                        .op = args.op,
                        .checkData = args.checkData,
                        .bounds = args.boundEffort(machine, diags)};
  how.options.repeat = args.repeat;
  how.options.criticalPath = args.criticalPath;
  return how;
}

/// A report without sizes.
static SweepResult headOf(const SimArguments &args, const Simulator &simulator) {
  SweepResult head;
  head.target = simulator.plan().machine.stamp;
  head.network = simulator.settings().network;
  head.slots = simulator.plan().slots;
  head.type = args.type;
  head.op = args.op;
  head.repeat = args.repeat;
  head.conditions = {args.skew, args.schedule};
  return head;
}

/// Reports memory that \p run takes beyond the limit, so that the results before it are kept.
static LogicalResult withinMemory(llvm::function_ref<LogicalResult()> run,
                                  DiagnosticEngine &diags) {
  try {
    return run();
  } catch (const MemoryExceeded &exceeded) {
    return diags.error({}, exceeded.text());
  }
}

/// Adds the results that require further runs.
static LogicalResult addInsights(const SimArguments &args, const PlanSimulation &plan,
                                 SweepOutput &output, Progress &progress, DiagnosticEngine &diags) {
  const SweepResult &summary = output.get();
  if (summary.sizes.empty())
    return success();
  if (args.whatIf) {
    const SizeResult &last = summary.sizes.back();
    WhatIfRequest request{plan.resources(last), last.time, args.jobs,
                          [&](ArrayRef<std::string> changes, DiagnosticEngine &found) {
                            return args.loadMachine(&plan.simulator.plan().shown.info(), found,
                                                    changes);
                          },
                          plan.timeOnOthers(summary)};
    FailureOr<WhatIfResult> rows = runWhatIf(std::move(request), progress, diags);
    if (failed(rows))
      return failure();
    output.setWhatIf(std::move(*rows));
  }
  if (args.advise)
    output.setAdvice(plan.advise(summary));
  if (!args.report)
    return success();
  FailureOr<std::string> page = makeReport(
      {args.files.front(), plan.simulator, summary, args.baseline, args.measured,
       args.resources.reportPage, args.bounds ? BoundEffort::Full : BoundEffort::Limited},
      [&](StringRef stage) { progress.stage(stage); }, diags);
  if (failed(page))
    return failure();
  progress.stage("write " + *args.report);
  return writeFile(*args.report, [&](raw_ostream &os) { os << *page; }, diags);
}

ExitCode cclc::simulateSizes(const SimArguments &args, const PlanSimulation &plan,
                             Progress &progress, DiagnosticEngine &diags) {
  Simulator &simulator = plan.simulator;
  if (args.checkData && !simulator.plan().shown.info().collective.hasPostCondition())
    diags.warning({}, "the collective has no post-condition: the data are not compared");
  SweepResult head = headOf(args, simulator);
  SizeRunRequest request{simulator,   args.type,  args.goal,
                         args.chakra, args.trace, runSettings(head, simulator.plan()),
                         args.jobs};
  SweepOutput output(std::move(head), simulator.plan(), {args.summarise, args.json, args.format},
                     progress, diags);
  ExitCode code = runSizes(request, args.sizes, output, progress, diags);
  DiagnosticEngine found; // separate, because the report prints `diags` on an interrupt until it is
                          // closed
  auto insights = [&] { return addInsights(args, plan, output, progress, found); };
  if (code <= ExitCode::Wrong && failed(withinMemory(insights, found)))
    code = ExitCode::Unusable;
  output.close();
  diags.append(std::move(found));
  if (failed(code <= ExitCode::Wrong ? output.finish() : output.abandon()))
    code = std::max(code, ExitCode::Unusable);
  return code;
}
