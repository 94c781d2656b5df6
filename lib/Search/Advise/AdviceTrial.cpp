//===- AdviceTrial.cpp - A run with a change ------------------------------===//
//
// Loads the machine, proves the size, and simulates it, as for a run of its own. Errors are
// dropped: a change that is refused is no advice.
//
//===----------------------------------------------------------------------===//

#include "AdviceTrial.h"

#include "cclc/Limits/PlanCheck.h"
#include "cclc/Sim/SizeVerifier.h"
#include "cclc/Support/Watch.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

RunFigures cclc::figuresOf(const PlacedPlan &placed, const Sizing &sizing, const SizeResult &size) {
  RunFigures figures;
  figures.time = size.time;
  figures.pieces = size.pieces;
  figures.channels = placed.plan.channels();
  figures.executions = sizing.executions(placed);
  uint64_t messages = 0, hops = 0;
  for (size_t c = 0; c < placed.placedConnections.size(); ++c) {
    messages += placed.placedConnections[c].messages;
    hops += uint64_t(placed.placedConnections[c].messages) * placed.routes[c].length();
  }
  figures.hops = messages ? hops * 100 / messages : 0;
  figures.links = size.links.size();
  std::vector<bool> used(placed.machine.links().size());
  for (const SizeResult::UsedLink &link : size.links)
    used[link.link.index()] = true;
  for (const SizeResult::UsedLink &link : size.links)
    if (OptionalId<LinkId> back = placed.machine.link(link.link).reverse)
      figures.oneWayLinks += placed.machine.link(*back).present && !used[(*back).index()];
  return figures;
}

/// Changes that multiply the steps are not tried: they take long, and are rarely faster.
static uint64_t maxExecutions(const AdviceRequest &request) {
  constexpr uint64_t few = 200'000;
  return std::max(few, request.report.sizes.back().steps * 4);
}

uint32_t cclc::costPercent(const AdviceRequest &request, ArrayRef<Cost::Kind> kinds) {
  SimTime all, those;
  for (const Cost &cost : request.report.costs) {
    all += cost.time;
    if (llvm::is_contained(kinds, cost.kind))
      those += cost.time;
  }
  return all == SimTime() ? 0 : uint32_t(Wide(those.picoseconds()) * 100 / all.picoseconds());
}

/// The machine of the run, for \p plan, with additional values of --set.
static FailureOr<Machine> load(const AdviceRequest &request, const ProgramInfo &plan,
                               ArrayRef<std::string> changes, DiagnosticEngine &diags) {
  std::vector<TargetOverride> all;
  if (failed(parseOverrides(request.sets, all, diags)) ||
      failed(parseOverrides(changes, all, diags)))
    return failure();
  if (!request.target)
    return loadTargetOf(plan, request.targets, all, diags);
  return loadTargetFor(&plan, {*request.target, request.targets, std::move(all), std::nullopt},
                       diags);
}

static void undo(const UndoneSkew &change, std::vector<Skew> &skew) {
  for (uint32_t r = 0; r < skew.size(); ++r)
    if (r == change.rank.value_or(r)) {
      if (change.ofEngines)
        skew[r].permille = Skew().permille;
      else
        skew[r].start = Skew().start;
    }
}

std::optional<RunFigures> cclc::tryRun(const AdviceRequest &request, const ExecPlan &plan,
                                       std::optional<uint32_t> slotsNeeded,
                                       const AddedOptions &added) {
  Watch::look();
  const SweepResult &report = request.report;
  DiagnosticEngine refused;
  FailureOr<Machine> machine = load(request, plan.info(), added.settings, refused);
  if (failed(machine))
    return std::nullopt;
  Slots usual = request.slots.value_or(machine->slotsFor(plan.info()));
  Slots slots = added.slots.value_or(usual);
  FailureOr<PlacedPlan> placed = PlacedPlan::create(plan, *machine, slots, refused);
  if (failed(placed) || failed(checkPlan(plan, *machine, slots, refused, slotsNeeded)))
    return std::nullopt;
  FailureOr<Sizing> sizing =
      Sizing::create(*placed, report.sizes.back().bytes, report.type, refused);
  if (failed(sizing) || failed(checkMemory(*placed, *sizing, refused)) ||
      sizing->executions(*placed) > maxExecutions(request) ||
      !SizeVerifier(*placed, slotsNeeded).prove(*sizing).safe)
    return std::nullopt;
  SimOptions options = request.options;
  options.criticalPath = false;
  options.onProgress = [](uint64_t) { Watch::look(); };
  if (added.skew)
    undo(*added.skew, options.skew);
  std::unique_ptr<NetworkModel> network =
      createNetwork(request.network.value_or(machine->network), placed->routes);
  SimResult result = simulate(*placed, *sizing, *network, options);
  if (!result.completed || result.time == SimTime::max())
    return std::nullopt;
  SizeResult size = makeSizeResult(*placed, *sizing, std::move(result), options.repeat);
  return figuresOf(*placed, *sizing, size);
}
