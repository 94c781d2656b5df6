//===- MscclppCommand.cpp - Plans of MSCCL++ in ccl-sim -------------------===//
//
// Such a plan has operations instead of steps. Reports and traces show those of the file as steps
// of a plan that is made for them. The lower bounds are those of the links alone: those of engines,
// memories and messages are bounds of the executor of steps.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "ReportCommand.h"
#include "SweepOutput.h"
#include "WhatIfRuns.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Mscclpp/Executor.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Mscclpp/Proof/Verify.h"
#include "cclc/Sim/Data/BufferLayout.h"
#include "cclc/Sim/Mscclpp/ReportPlan.h"
#include "cclc/Sim/Mscclpp/SizeRun.h"
#include "cclc/Sim/PlanBound.h"
#include "cclc/Views/Report/ChromeTrace.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

namespace {
class MscclppRun {
public:
  MscclppRun(const SimArguments &args, Progress &progress, DiagnosticEngine &diags)
      : args(args), progress(progress), diags(diags) {}

  ExitCode run(StringRef text) {
    if (failed(checkMscclppOptions(args, diags)))
      return ExitCode::Unusable;
    FailureOr<mscclpp::ShownPlan> plan =
        mscclpp::ShownPlan::read(text, planFileName(args.files.front()), diags);
    if (failed(plan))
      return ExitCode::Unusable;
    FailureOr<Machine> machine = args.loadMachineOfRun(&plan->steps.info(), diags);
    if (failed(machine))
      return ExitCode::Unusable;
    std::string network = args.network.value_or(machine->network);
    FailureOr<mscclpp::ShownOnMachine> both =
        mscclpp::ShownOnMachine::create(*plan, *machine, diags);
    if (failed(both) || failed(checkNetwork(network, diags)))
      return ExitCode::Unusable;
    progress.stage("verify");
    if (failed(mscclpp::checkExecutor(plan->plan, diags)))
      return ExitCode::Wrong;
    switch (mscclpp::verify(plan->plan, diags).verdict) {
    case Verdict::Ok:
      return runSizes(*both, network);
    case Verdict::Unsupported:
      return ExitCode::Unusable;
    default:
      return ExitCode::Wrong;
    }
  }

private:
  ExitCode runSizes(const mscclpp::ShownOnMachine &both, StringRef network) {
    const mscclpp::BoundPlan &bound = both.bound;
    const BoundPlan &shown = both.shown;
    if (args.checkData && !bound.plan.header().collective.hasPostCondition())
      diags.warning({}, "the collective has no post-condition: the data are not compared");
    SweepResult head;
    head.target = bound.machine.stamp;
    head.network = network;
    head.slots = Slots::unlimited();
    head.type = args.type;
    head.repeat = args.repeat;
    std::vector<mscclpp::SizedPlan> plans;
    for (uint64_t size : args.sizes) {
      FailureOr<mscclpp::SizedPlan> sized =
          mscclpp::SizedPlan::create(bound.plan, Bytes(size), args.type, diags);
      if (failed(sized))
        return ExitCode::Unusable;
      plans.push_back(std::move(*sized));
    }
    std::optional<PlanBound> bounds;
    if (std::optional<BoundEffort> effort = args.boundEffort(bound.machine, diags))
      bounds.emplace(shown, network, args.repeat, *effort, /*linksOnly=*/true);
    std::vector<RunSetting> settings = runSettings(head, shown);
    mscclpp::SizeRunSettings how{both, network.str(), {}, args.checkData};
    how.options.repeat = args.repeat;
    how.options.criticalPath = args.criticalPath;
    SweepOutput output(std::move(head), shown, {args.summarise, args.json, args.format}, progress,
                       diags);
    output.begin(plans.size());
    bool right = true;
    DiagnosticEngine found;
    LogicalResult done = success();
    for (const mscclpp::SizedPlan &sized : plans) {
      FailureOr<SizeResult> row = runSize(how, sized, settings, found);
      if (failed(row)) {
        done = failure();
        break;
      }
      if (bounds)
        row->bound = bounds->of(mscclpp::sizingForReports(sized));
      right &= row->dataOk.value_or(true);
      output.add(std::move(*row), {}, {});
    }
    if (succeeded(done))
      done = addInsights(output, bound, shown, plans, found);
    output.close();
    diags.append(std::move(found));
    if (failed(done) || failed(output.finish()))
      return ExitCode::Unusable;
    return right ? ExitCode::Success : ExitCode::Wrong;
  }

  /// Simulates one size, and writes its trace if asked to.
  FailureOr<SizeResult> runSize(const mscclpp::SizeRunSettings &how,
                                const mscclpp::SizedPlan &sized, ArrayRef<RunSetting> settings,
                                DiagnosticEngine &found) {
    progress.stage("simulate " + std::to_string(sized.requested.count()) + " bytes");
    mscclpp::SimulateOnce traced = [&](NetworkModel &network,
                                       mscclpp::RunOptions options) -> FailureOr<SimResult> {
      SimResult result;
      auto write = [&](raw_ostream &os) {
        result = writeTrace(how.plan.shown, mscclpp::sizingForReports(sized), settings, os,
                            [&](SimListener &listener) {
                              options.listeners.push_back(&listener);
                              return mscclpp::simulate(how.plan.bound, sized, network, options);
                            });
      };
      if (failed(writeFile(*args.trace, write, found)))
        return failure();
      return result;
    };
    return mscclpp::runSize(how, sized, found, args.trace ? traced : mscclpp::SimulateOnce());
  }

  /// Adds the results that require further runs.
  LogicalResult addInsights(SweepOutput &output, const mscclpp::BoundPlan &bound,
                            const BoundPlan &shown, ArrayRef<mscclpp::SizedPlan> plans,
                            DiagnosticEngine &found) {
    const SweepResult &summary = output.get();
    if (args.whatIf) {
      const SizeResult &last = summary.sizes.back();
      WhatIfRequest whatIf{whatIfCandidatesOfMscclpp(bound.machine, last), last.time, args.jobs,
                           [&](ArrayRef<std::string> changes, DiagnosticEngine &diags) {
                             return args.loadMachine(&shown.plan.info(), diags, changes);
                           },
                           [&](const Machine &machine, bool, DiagnosticEngine &diags) {
                             return timeOn(machine, bound.plan, plans.back(), summary, diags);
                           }};
      FailureOr<WhatIfResult> rows = runWhatIf(std::move(whatIf), progress, found);
      if (failed(rows))
        return failure();
      output.setWhatIf(std::move(*rows));
    }
    if (!args.report)
      return success();
    SimOptions options;
    options.repeat = args.repeat;
    ReportRequest page{args.files.front(),
                       shown,
                       summary,
                       options,
                       args.baseline,
                       {},
                       args.resources.reportPage,
                       args.bounds ? BoundEffort::Full : BoundEffort::Limited};
    page.simulate = [&](Bytes bytes, SimListener &listener,
                        DiagnosticEngine &) -> FailureOr<SizedRun> {
      const mscclpp::SizedPlan &sized =
          *llvm::find_if(plans, [&](const auto &each) { return each.requested == bytes; });
      mscclpp::RunOptions recorded;
      recorded.repeat = args.repeat;
      recorded.criticalPath = true;
      recorded.listeners = {&listener};
      std::unique_ptr<NetworkModel> network = createNetwork(summary.network, bound.routes);
      return SizedRun{mscclpp::sizingForReports(sized),
                      mscclpp::simulate(bound, sized, *network, recorded)};
    };
    return writeReport(page, *args.report, progress, found);
  }

  /// The time of a launch on another machine.
  FailureOr<SimTime> timeOn(const Machine &machine, const mscclpp::Plan &plan,
                            const mscclpp::SizedPlan &sized, const SweepResult &summary,
                            DiagnosticEngine &found) const {
    FailureOr<mscclpp::BoundPlan> bound = mscclpp::BoundPlan::create(plan, machine, found);
    if (failed(bound))
      return failure();
    std::unique_ptr<NetworkModel> network = createNetwork(summary.network, bound->routes);
    mscclpp::RunOptions options;
    options.repeat = args.repeat;
    SimTime time = mscclpp::simulate(*bound, sized, *network, options).time;
    return SimTime(time.picoseconds() / options.repeat);
  }

  const SimArguments &args;
  Progress &progress;
  DiagnosticEngine &diags;
};
} // namespace

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

ExitCode cclc::runMscclpp(const SimArguments &args, StringRef text, Progress &progress,
                          DiagnosticEngine &diags) {
  return MscclppRun(args, progress, diags).run(text);
}
