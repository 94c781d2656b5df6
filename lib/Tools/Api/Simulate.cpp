//===- Simulate.cpp - The simulation of a plan ----------------------------===//
//
// The plan is proved with the slots and the limits of the machine, and each size as well, before it
// is simulated. The report refers to the plan and its machine, and owns both.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "cclc/Mscclpp/Proof/Verify.h"
#include "cclc/Sim/MachineProof.h"
#include "cclc/Sim/Mscclpp/SizeRun.h"
#include "cclc/Sim/SizeRun.h"
#include "cclc/Sim/SizeSimulation.h"
#include "cclc/Views/Report/ChromeTrace.h"
#include "cclc/Views/Report/Summary.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::api;

namespace {
struct SimulationContent : ReportAccess::Content {
  std::shared_ptr<const PlanAccess::Content> plan;
  std::unique_ptr<const Machine> machine;
  std::optional<BoundPlan> steps;                    ///< of both, of a plan of steps
  std::optional<mscclpp::ShownOnMachine> operations; ///< the same, of one of MSCCL++
  SweepResult result;
  std::optional<std::string> trace; ///< of the last size

  const BoundPlan &bound() const { return operations ? operations->shown : *steps; }
  void text(raw_ostream &os) const override {
    printHead(result, plan->steps().info(), bound(), os);
    for (const SizeResult &size : result.sizes)
      printRow(size, os);
    printDetails(result, bound(), os);
  }
  void json(raw_ostream &os) const override { writeJson(result, bound(), os); }
};

/// One simulation of all sizes.
class Run {
public:
  Run(const Plan &plan, const SimulateOptions &options) : options(options) {
    content->plan = PlanAccess::content(plan);
  }

  LogicalResult load(const Target &target, const std::string &folder);
  LogicalResult simulate() { return content->operations ? simulateOperations() : simulateSteps(); }
  Result<Simulation> result();
  Failed failed() const { return {diags}; }

private:
  LogicalResult bind();
  LogicalResult simulateSteps();
  LogicalResult simulateOperations();
  /// Adds the result of a size.
  LogicalResult add(SizeResult row);
  void stage(const std::string &name) const {
    if (options.onProgress)
      options.onProgress(name);
  }
  /// Makes the trace of the run that \p simulate makes, if it is wanted of this size.
  SimResult traced(const Sizing &sizing, llvm::function_ref<SimResult(SimListener *)> simulate);

  const SimulateOptions &options;
  std::shared_ptr<SimulationContent> content = std::make_shared<SimulationContent>();
  DiagnosticEngine diags;
};

LogicalResult Run::load(const Target &target, const std::string &folder) {
  FailureOr<DataType> type = typeOf(options.type, diags);
  FailureOr<ReduceOp> op = operatorOf(options.op, diags);
  FailureOr<TargetRequest> request = requestOf(target, folder, diags);
  if (cclc::failed(type) || cclc::failed(op) || cclc::failed(request))
    return failure();
  const ProgramInfo &info = content->plan->steps().info();
  FailureOr<Machine> machine = loadTargetFor(&info, std::move(*request), diags);
  if (cclc::failed(machine))
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
  const SweepResult &sweep = content->result;
  if (const mscclpp::ShownPlan *plan = content->plan->mscclpp()) {
    if (options.slots || options.seed)
      return diags.error({}, std::string(options.slots ? "a number of slots" : "a seed") +
                                 " does not apply to a plan of MSCCL++");
    FailureOr<mscclpp::ShownOnMachine> bound =
        mscclpp::ShownOnMachine::create(*plan, *content->machine, diags);
    if (cclc::failed(bound) || cclc::failed(mscclpp::checkElements(sweep.op, sweep.type, diags)))
      return failure();
    content->operations.emplace(std::move(*bound));
    content->result.slots = Slots::unlimited();
    return success();
  }
  FailureOr<BoundPlan> bound =
      BoundPlan::create(content->plan->steps(), *content->machine, sweep.slots, diags);
  if (cclc::failed(bound))
    return failure();
  content->steps.emplace(std::move(*bound));
  return success();
}

SimResult Run::traced(const Sizing &sizing, llvm::function_ref<SimResult(SimListener *)> simulate) {
  if (!options.trace || sizing.requested.count() != options.bytes.back())
    return simulate(nullptr);
  llvm::raw_string_ostream os(content->trace.emplace());
  return writeTrace(content->bound(), sizing, runSettings(content->result, content->bound()), os,
                    [&](SimListener &listener) { return simulate(&listener); });
}

LogicalResult Run::add(SizeResult row) {
  if (!row.dataOk.value_or(true))
    return failure();
  content->result.sizes.push_back(std::move(row));
  return success();
}

LogicalResult Run::simulateSteps() {
  const BoundPlan &bound = *content->steps;
  SweepResult &sweep = content->result;
  stage("verify");
  PlanProof proof = provePlan(bound, diags);
  if (proof.verdict != Verdict::Ok)
    return failure();
  SizeVerifier verifier(bound, proof.slotsNeeded);
  SimOptions how;
  how.repeat = sweep.repeat;
  SizeRunner runner({bound, sweep.network, sweep.op, how, options.checkData, options.seed});
  for (uint64_t bytes : options.bytes) {
    FailureOr<Sizing> sizing = proveSize(bound, verifier, Bytes(bytes), sweep.type, diags);
    if (cclc::failed(sizing))
      return failure();
    SizeRunner::Hooks hooks;
    hooks.onStage = stagesOf(options.onProgress);
    hooks.simulate = [&](NetworkModel &network, SimOptions with) -> FailureOr<SimResult> {
      return traced(*sizing, [&](SimListener *listener) {
        if (listener)
          with.listeners.push_back(listener);
        return cclc::simulate(bound, *sizing, network, with);
      });
    };
    FailureOr<SizeRun> run = runner.run(*sizing, bytes == options.bytes.back(), hooks, diags);
    if (cclc::failed(run) || cclc::failed(add(std::move(run->row))))
      return failure();
    sweep.costs = std::move(run->costs);
  }
  sweep.complete = true;
  return success();
}

LogicalResult Run::simulateOperations() {
  const mscclpp::ShownOnMachine &both = *content->operations;
  SweepResult &sweep = content->result;
  stage("verify");
  Verdict verdict = mscclpp::verifyForExecutor(both.bound.plan, diags).verdict;
  if (verdict != Verdict::Ok)
    return diags.fail(cclc::failureOf(verdict));
  mscclpp::SizeRunSettings how{both, sweep.network, {}, options.checkData};
  how.options.repeat = sweep.repeat;
  PlanBound bounds(both.shown, sweep.network, sweep.repeat, BoundEffort::Limited,
                   /*linksOnly=*/true);
  for (uint64_t bytes : options.bytes) {
    FailureOr<mscclpp::SizedPlan> sized =
        mscclpp::SizedPlan::create(both.bound.plan, Bytes(bytes), sweep.type, diags);
    if (cclc::failed(sized))
      return failure();
    stage("simulate " + std::to_string(bytes) + " bytes");
    Sizing sizing = mscclpp::sizingForReports(*sized);
    FailureOr<SizeResult> row = mscclpp::runSize(
        how, *sized, diags,
        [&](NetworkModel &network, mscclpp::RunOptions with) -> FailureOr<SimResult> {
          return traced(sizing, [&](SimListener *listener) {
            if (listener)
              with.listeners.push_back(listener);
            return mscclpp::simulate(both.bound, *sized, network, with);
          });
        });
    if (cclc::failed(row))
      return failure();
    row->bound = bounds.of(sizing);
    if (cclc::failed(add(std::move(*row))))
      return failure();
  }
  sweep.complete = true;
  return success();
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
  simulation.report = ReportAccess::make(std::move(content));
  return {std::move(simulation), messagesOf(diags)};
}
} // namespace

Result<Simulation> Toolchain::simulate(const Plan &plan, const Target &target,
                                       const SimulateOptions &options) const {
  Run run(plan, options);
  if (cclc::failed(run.load(target, folder)) || cclc::failed(run.simulate()))
    return run.failed();
  return run.result();
}
