//===- Simulator.cpp - A plan of steps, simulated for sizes ---------------===//
//
// The run that is timed also moves the data of the first placement, and records the critical path;
// those of further placements are moved by runs of their own.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Simulator.h"

#include "cclc/Sim/CheckedData.h"
#include "cclc/Sim/FoldedPlan.h"
#include "cclc/Sim/SizeMemory.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

/// The maximum number of executions that are recorded without SimOptions::criticalPath, for costs
/// alone: 112 MB.
static constexpr uint64_t maxRecordedUnasked = 2'000'000;

static std::string textOf(const Sizing &sizing) {
  return std::to_string(sizing.requested.count()) + " bytes";
}

Simulator::Simulator(const PlanOnMachine &plan, SimulatorSettings settings)
    : how(std::move(settings)), onMachine(plan) {
  if (how.bounds)
    bounds.emplace(plan, how.network, how.options.repeat, *how.bounds);
}

uint64_t Simulator::executions(const Sizing &sizing) const {
  return sizing.executions(plan()) * how.options.repeat;
}

bool Simulator::checksData() const {
  return how.checkData && plan().shown.info().collective.hasPostCondition();
}

LogicalResult Simulator::check(const Sizing &sizing, const SimResult &result,
                               DiagnosticEngine &diags) const {
  if (result.time == SimTime::max())
    return diags.error(how.where,
                       formatv("{0} on target {1} take longer than 53 days of simulated time, the "
                               "limit of the clock",
                               textOf(sizing), plan().machine.name));
  if (!result.completed)
    return diags.error(how.where, "the plan was verified, but its execution did not complete")
        .as(Failure::Defect);
  return success();
}

FailureOr<SimResult>
Simulator::listen(const Hooks &hooks, SimOptions options,
                  llvm::function_ref<SimResult(const SimOptions &)> simulate) const {
  if (!hooks.listen)
    return simulate(options);
  return hooks.listen([&](SimListener *listener) {
    if (listener)
      options.listeners.push_back(listener);
    return simulate(options);
  });
}

FailureOr<SizeRun> Simulator::run(const Sizing &sizing, bool details, const Hooks &hooks,
                                  DiagnosticEngine &diags) const {
  std::string size = textOf(sizing);
  if (hooks.onStage)
    hooks.onStage("simulate " + size);
  uint64_t all = executions(sizing);
  SimOptions options = how.options;
  options.criticalPath &= all <= how.mostRecorded;
  options.criticalPath |= details && plan().steps() && all <= maxRecordedUnasked;
  options.onProgress = [&](uint64_t steps) {
    if (hooks.onStage)
      hooks.onStage(formatv("simulate {0}, {1} %", size, steps * 100 / all));
  };
  std::optional<bool> right;
  FailureOr<SimResult> result = simulateChecked(sizing, options, hooks, right, diags);
  if (failed(result))
    return failure();
  SizeRun made{makeSizeResult(plan(), sizing, std::move(*result), options.repeat)};
  made.row.dataOk = right;
  made.row.bound = boundOf(sizing);
  if (details && plan().steps())
    made.costs = costsOf(made.row, *plan().steps());
  if (!how.options.criticalPath)
    made.row.criticalPath.clear();
  return made;
}

FailureOr<SizeResult> Simulator::at(Bytes bytes, DataType type, DiagnosticEngine &diags) {
  FailureOr<Sizing> sizing = prove(bytes, type, diags);
  if (failed(sizing))
    return failure();
  FailureOr<SizeRun> made = run(*sizing, /*details=*/false, {}, diags);
  if (failed(made))
    return failure();
  return std::move(made->row);
}

namespace {
class StepSimulator final : public Simulator {
public:
  StepSimulator(const PlacedPlan &placed, std::optional<uint32_t> slotsNeeded,
                SimulatorSettings settings, const RolledForm *form)
      : Simulator(placed, std::move(settings)), placed(placed), verifier(placed, slotsNeeded) {
    if (form)
      fold(*form);
  }

  FailureOr<Sizing> prove(Bytes bytes, DataType type, DiagnosticEngine &diags) override {
    FailureOr<Sizing> sizing = Sizing::create(placed, bytes, type, diags);
    if (failed(sizing))
      return failure();
    if (failed(checkMemory(placed, *sizing, diags)))
      return diags.fail(Failure::Unfit);
    if (verifier.prove(*sizing).safe)
      return sizing;
    verifier.report(*sizing, diags);
    return diags.fail(Failure::Wrong);
  }

  SimResult simulate(const Sizing &sizing, const SimOptions &options) const override {
    if (std::optional<SimResult> result = simulateFew(sizing, options))
      return std::move(*result);
    return cclc::simulate(placed, sizing, *createNetwork(how.network, placed.routes), options);
  }

private:
  /// Sets `few` if it has the results of all ranks. Links are not shared without contention only.
  void fold(const RolledForm &ofPlan) {
    DiagnosticEngine unused;
    std::string fault;
    FailureOr<ExecPlan> folded = cclc::fold(ofPlan.plan, foldedRanks(ofPlan.plan), unused);
    if (failed(folded) || folded->ranks() >= placed.plan.ranks() || how.network == "ideal")
      return;
    auto made = FoldedPlan::create(ofPlan.plan, std::move(*folded), placed.machine, how.network,
                                   placed.slots, fault, unused);
    if (failed(made) || !*made)
      return;
    few = std::move(*made);
    form = &ofPlan;
  }

  /// The result from few ranks; none if \p options observe single ranks, or make them different.
  std::optional<SimResult> simulateFew(const Sizing &sizing, SimOptions options) const {
    if (!few || !options.skew.empty() || options.randomSchedule || !options.listeners.empty() ||
        (options.criticalPath && !few->hasLatencies()))
      return std::nullopt;
    DiagnosticEngine unused;
    FailureOr<Sizing> ofFew = few->sizing(sizing.requested, sizing.type, unused);
    if (failed(ofFew) || ofFew->chunkElements != sizing.chunkElements ||
        ofFew->pieceElements != sizing.pieceElements || ofFew->pieces != sizing.pieces ||
        ofFew->chunksPerTransmission != sizing.chunksPerTransmission)
      return std::nullopt;
    options.onProgress = nullptr;
    return few->ofAllRanks(placed.plan, *form,
                           cclc::simulate(few->placed(), *ofFew,
                                          *createNetwork(how.network, few->placed().routes),
                                          options));
  }

  FailureOr<SimResult> simulateChecked(const Sizing &sizing, SimOptions options, const Hooks &hooks,
                                       std::optional<bool> &right,
                                       DiagnosticEngine &diags) const override {
    std::optional<PlacementCheck> data;
    if (checksData())
      options.listeners = {&data.emplace(placed, sizing, how.op, how.seed).listener()};
    FailureOr<SimResult> result = listen(
        hooks, std::move(options), [&](const SimOptions &all) { return simulate(sizing, all); });
    if (failed(result) || failed(check(sizing, *result, diags)))
      return failure();
    if (data) {
      if (hooks.onStage)
        hooks.onStage("check the data of " + textOf(sizing));
      SimOptions again = how.options;
      again.criticalPath = false;
      right = data->check(how.network, again, diags);
    }
    return result;
  }

  const PlacedPlan &placed;
  SizeVerifier verifier;
  std::unique_ptr<const FoldedPlan> few; ///< null: all ranks are simulated
  const RolledForm *form = nullptr;
};
} // namespace

std::unique_ptr<Simulator> cclc::createSimulator(const PlacedPlan &plan,
                                                 std::optional<uint32_t> slotsNeeded,
                                                 SimulatorSettings settings,
                                                 const RolledForm *form) {
  return std::make_unique<StepSimulator>(plan, slotsNeeded, std::move(settings), form);
}

std::unique_ptr<Simulator> cclc::createSimulatorOfScheduled(const PlacedPlan &plan,
                                                            SimulatorSettings settings) {
  return createSimulator(plan, plan.slots.isUnlimited() ? 1 : plan.slots.limit(),
                         std::move(settings));
}
