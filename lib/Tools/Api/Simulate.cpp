//===- Simulate.cpp - The simulation of a plan ----------------------------===//
//
// The plan is proved with the slots and the limits of the machine, and each size as well, before it
// is simulated. The report refers to the plan and its machine, and owns both.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "cclc/Proof/Deadlock.h"
#include "cclc/Search/Advise/Advise.h"
#include "cclc/Sim/Mscclpp/PlacedExecutable.h"
#include "cclc/Sim/Mscclpp/Simulator.h"
#include "cclc/Tools/SimulationReport.h"
#include "cclc/Views/Report/ChromeTrace.h"
#include "cclc/Views/Report/Summary.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::api;

namespace {
struct SimulationContent : ReportAccess::Content {
  std::shared_ptr<const PlanAccess::Content> plan;
  std::unique_ptr<const Machine> machine;
  std::optional<PlacedExecutable> onMachine; ///< both
  SweepResult result;
  std::optional<std::string> trace; ///< of the last size
  std::string page;

  const PlanOnMachine &bound() const { return onMachine->get(); }
  void text(raw_ostream &os) const override {
    printHead(result, plan->info(), bound(), os);
    for (const SizeResult &size : result.sizes)
      printRow(size, os);
    printDetails(result, bound(), os);
    if (result.advice.requested)
      printAdvice(result, os);
  }
  void json(raw_ostream &os) const override { writeJson(result, bound(), os); }
};

api::Advice adviceOf(const SweepResult &result) {
  api::Advice advice{{}, result.advice.notes};
  for (const cclc::Advice &each : result.advice.rows) {
    const int64_t before = result.sizes.back().time.picoseconds(), after = each.time.picoseconds();
    advice.changes.push_back({each.action, each.cause,
                              each.tool == cclc::Advice::Tool::Simulator ? "ccl-sim" : "cclc",
                              each.change, before, after, double(before - after) / double(before)});
  }
  return advice;
}

/// One simulation of all sizes.
class Run {
public:
  Run(const Plan &plan, const Target &target, const std::string &folder,
      const SimulateOptions &options)
      : target(target), folder(folder), options(options) {
    content->plan = PlanAccess::content(plan);
  }

  LogicalResult load();
  LogicalResult simulate();
  /// Adds the results that need further runs.
  LogicalResult addInsights(const dsl::ProgramRegistry &programs);
  Result<Simulation> result();
  Failed failed() const { return {diags}; }

private:
  LogicalResult bind();
  /// Proves the plan; null if it is wrong.
  std::unique_ptr<Simulator> prove();
  AdviceResult advise(const PlacedPlan &steps, const dsl::ProgramRegistry &programs) const;
  void stage(const std::string &name) const {
    if (onStage)
      onStage(name);
  }
  /// Makes the trace of the run that \p simulate makes.
  SimResult traced(const Sizing &sizing, Simulator::Hooks::Simulate simulate);

  const Target &target;
  const std::string &folder;
  const SimulateOptions &options;
  std::function<void(StringRef)> onStage = stagesOf(options.onProgress, options.cancellation);
  std::shared_ptr<SimulationContent> content = std::make_shared<SimulationContent>();
  std::unique_ptr<Simulator> simulator;
  DiagnosticEngine diags;
};

LogicalResult Run::load() {
  FailureOr<DataType> type = typeOf(options.type, diags);
  FailureOr<ReduceOp> op = operatorOf(options.op, diags);
  const ProgramInfo &info = content->plan->info();
  FailureOr<Machine> machine = machineFor(info, target, folder, diags);
  if (cclc::failed(type) || cclc::failed(op) || cclc::failed(machine))
    return failure();
  content->machine = std::make_unique<const Machine>(std::move(*machine));
  SweepResult &sweep = content->result;
  sweep.target = content->machine->stamp;
  sweep.network = options.network.value_or(content->machine->network);
  if (cclc::failed(checkNetwork(sweep.network, diags)))
    return failure();
  sweep.slots = slotsOf(options.slots).value_or(content->machine->slotsFor(info));
  sweep.type = *type;
  sweep.op = *op;
  sweep.repeat = std::max(options.repeat, 1u);
  return bind();
}

LogicalResult Run::bind() {
  SweepResult &sweep = content->result;
  const bool isOfMscclpp = content->plan->mscclpp();
  const std::pair<bool, const char *> ofSteps[] = {{options.slots.has_value(), "a number of slots"},
                                                   {options.seed.has_value(), "a seed"},
                                                   {options.advise, "advice"}};
  for (auto [given, what] : ofSteps)
    if (given && isOfMscclpp)
      return diags.error({}, std::string(what) + " does not apply to a plan of MSCCL++");
  FailureOr<PlacedExecutable> placed =
      PlacedExecutable::create(content->plan->plan, *content->machine, sweep.slots, diags);
  if (cclc::failed(placed) ||
      (isOfMscclpp && cclc::failed(mscclpp::checkElements(sweep.op, sweep.type, diags))))
    return failure();
  content->onMachine.emplace(std::move(*placed));
  sweep.slots = content->bound().slots;
  return success();
}

SimResult Run::traced(const Sizing &sizing, Simulator::Hooks::Simulate simulate) {
  llvm::raw_string_ostream os(content->trace.emplace());
  return writeTrace(content->bound(), sizing, runSettings(content->result, content->bound()), os,
                    [&](SimListener &listener) { return simulate(&listener); });
}

std::unique_ptr<Simulator> Run::prove() {
  const SweepResult &sweep = content->result;
  stage("verify");
  SimulatorSettings how{.network = sweep.network,
                        .op = sweep.op,
                        .checkData = options.checkData,
                        .seed = options.seed,
                        .bounds = BoundEffort::Limited};
  how.options.repeat = sweep.repeat;
  return content->onMachine->prove(std::move(how), diags);
}

LogicalResult Run::simulate() {
  simulator = prove();
  if (!simulator)
    return failure();
  SweepResult &sweep = content->result;
  for (uint64_t bytes : options.bytes) {
    FailureOr<Sizing> sizing = simulator->prove(Bytes(bytes), sweep.type, diags);
    if (cclc::failed(sizing))
      return failure();
    const bool isLast = bytes == options.bytes.back();
    Simulator::Hooks hooks{.onStage = onStage};
    if (options.trace && isLast)
      hooks.listen = [&](Simulator::Hooks::Simulate run) { return traced(*sizing, run); };
    FailureOr<SizeRun> run = simulator->run(*sizing, /*details=*/isLast, hooks, diags);
    if (cclc::failed(run))
      return failure();
    if (!run->row.dataOk.value_or(true))
      return diags.fail(cclc::Failure::Wrong);
    sweep.sizes.push_back(std::move(run->row));
    sweep.costs = std::move(run->costs);
  }
  sweep.complete = true;
  return success();
}

AdviceResult Run::advise(const PlacedPlan &steps, const dsl::ProgramRegistry &programs) const {
  PlanControlFlow flow(steps.plan, steps.connections);
  return cclc::advise({steps, content->result, simulator->settings().options, slotsNeeded(flow),
                       /*jobs=*/1, programs, folder,
                       target.name.empty() ? std::nullopt : std::optional(target.name),
                       options.network, slotsOf(options.slots), target.settings, onStage});
}

LogicalResult Run::addInsights(const dsl::ProgramRegistry &programs) {
  SweepResult &sweep = content->result;
  if (options.advise && !sweep.sizes.empty())
    sweep.advice = advise(*content->bound().steps(), programs);
  if (!options.page)
    return success();
  FailureOr<std::string> page = makeReport(
      {content->plan->name(), *simulator, sweep, options.baseline, {}, folder + "/../report.html"},
      onStage, diags);
  if (!cclc::failed(page))
    content->page = std::move(*page);
  return page;
}

Result<Simulation> Run::result() {
  Simulation simulation;
  for (const SizeResult &row : content->result.sizes) {
    Timing timing{row.bytes.count(), row.time.picoseconds(), row.messages, std::nullopt, ""};
    if (row.bound) {
      timing.boundShare = row.bound->shareOf(row.time);
      timing.binds = boundName(row.bound->binds).str();
    }
    simulation.sizes.push_back(timing);
  }
  simulation.trace = std::move(content->trace).value_or("");
  simulation.page = std::move(content->page);
  simulation.advice = adviceOf(content->result);
  simulation.report = ReportAccess::make(std::move(content));
  return {std::move(simulation), messagesOf(diags)};
}
} // namespace

Result<Simulation> Toolchain::simulate(const Plan &plan, const Target &target,
                                       const SimulateOptions &options) const {
  return unlessCancelled([&]() -> Result<Simulation> {
    Run run(plan, target, folder, options);
    if (cclc::failed(run.load()) || cclc::failed(run.simulate()) ||
        cclc::failed(run.addInsights(*registry)))
      return run.failed();
    return run.result();
  });
}
