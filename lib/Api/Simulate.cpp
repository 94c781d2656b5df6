//===- Simulate.cpp - The simulation of a plan ----------------------------===//
//
// The plan is proved with the slots and the limits of the machine, and each size as well, before it
// is simulated. The report refers to the plan and its machine, and owns both.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "cclc/Driver/MachineProof.h"
#include "cclc/Driver/SizeRun.h"
#include "cclc/Report/Summary.h"
#include "cclc/Sim/SizeSimulation.h"

using namespace cclc;
using namespace cclc::api;

namespace {
struct SimulationContent : ReportAccess::Content {
  std::shared_ptr<const PlanAccess::Content> plan;
  std::unique_ptr<const Machine> machine;
  std::optional<BoundPlan> bound; ///< of both
  SweepResult result;

  void text(raw_ostream &os) const override {
    printHead(result, plan->plan.info(), *bound, os);
    for (const SizeResult &size : result.sizes)
      printRow(size, os);
    printDetails(result, *bound, os);
  }
  void json(raw_ostream &os) const override { writeJson(result, *bound, os); }
};

/// One simulation of all sizes.
class Run {
public:
  Run(const Plan &plan, const SimulateOptions &options) : options(options) {
    content->plan = PlanAccess::content(plan);
  }

  LogicalResult load(const Target &target, const std::string &folder);
  LogicalResult simulate();
  Result<Simulation> result();
  Failed failed() const { return {diags, why}; }

private:
  const SimulateOptions &options;
  std::shared_ptr<SimulationContent> content = std::make_shared<SimulationContent>();
  DiagnosticEngine diags;
  Failure why = Failure::Unusable;
};

LogicalResult Run::load(const Target &target, const std::string &folder) {
  FailureOr<DataType> type = typeOf(options.type, diags);
  FailureOr<ReduceOp> op = operatorOf(options.op, diags);
  FailureOr<TargetRequest> request = requestOf(target, folder, diags);
  if (cclc::failed(type) || cclc::failed(op) || cclc::failed(request))
    return failure();
  const ProgramInfo &info = content->plan->plan.info();
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
  FailureOr<BoundPlan> bound =
      BoundPlan::create(content->plan->plan, *content->machine, sweep.slots, diags);
  if (cclc::failed(bound))
    return failure();
  content->bound.emplace(std::move(*bound));
  return success();
}

LogicalResult Run::simulate() {
  const BoundPlan &bound = *content->bound;
  SweepResult &sweep = content->result;
  SizeRunner::Hooks hooks;
  hooks.onStage = stagesOf(options.onProgress);
  if (hooks.onStage)
    hooks.onStage("verify");
  why = Failure::Wrong;
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
    SizeOutcome outcome = runner.run(*sizing, bytes == options.bytes.back(), hooks, diags);
    if (!outcome.row) {
      why = failureOf(outcome.code);
      return failure();
    }
    if (!outcome.row->dataOk.value_or(true))
      return failure();
    sweep.sizes.push_back(std::move(*outcome.row));
    sweep.costs = std::move(outcome.costs);
  }
  sweep.complete = true;
  return success();
}

Result<Simulation> Run::result() {
  Simulation simulation;
  for (const SizeResult &row : content->result.sizes) {
    Timing timing{row.bytes.count(), row.time.picoseconds(), row.messages, std::nullopt};
    if (row.bound && row.bound->link() > SimTime())
      timing.boundShare = row.bound->shareOf(row.time);
    simulation.sizes.push_back(timing);
  }
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
