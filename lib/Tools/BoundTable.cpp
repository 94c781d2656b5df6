//===- BoundTable.cpp - Bounds by size, and the times of a plan -----------===//
//
// Without a plan the ranks are selected as by cclc: the first ones of the mapper's, or a list. A
// plan is proved, and each size as well, before it is simulated.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/BoundTable.h"

#include "cclc/Sim/Mscclpp/PlacedExecutable.h"
#include "cclc/Sim/PlanBound.h"
#include "cclc/Target/EqualRoutes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
class Maker {
public:
  Maker(const BoundTableRequest &request, DiagnosticEngine &diags)
      : request(request), diags(diags) {}

  std::unique_ptr<const BoundTable> boundRanks();
  std::unique_ptr<const BoundTable> boundPlan(const ExecutablePlan &plan);

private:
  void stage(const llvm::Twine &text) const {
    if (request.onStage)
      request.onStage(text.str());
  }
  FailureOr<std::string> networkOf(const Machine &machine) {
    std::string network = request.network.value_or(machine.network);
    if (failed(checkNetwork(network, diags)))
      return failure();
    return network;
  }
  /// Reports ranks without a path between them.
  LogicalResult checkPaths(const Machine &machine, const CollectiveBound &bounds);
  std::unique_ptr<BoundTable> tableOf(std::unique_ptr<const Machine> machine, BoundRequest bounds);
  std::unique_ptr<const BoundTable> withTimes(std::unique_ptr<BoundTable> table,
                                              Simulator &simulator);
  /// The machine of a plan, which must be of the collective.
  std::unique_ptr<const Machine> machineFor(const ProgramInfo &info);

  const BoundTableRequest &request;
  DiagnosticEngine &diags;
};

LogicalResult Maker::checkPaths(const Machine &machine, const CollectiveBound &bounds) {
  std::string missing = bounds.noPathText();
  if (missing.empty())
    return success();
  return diags
      .error({}, formatv("{0} on target {1}: the collective has no plan", missing, machine.name))
      .as(Failure::Wrong);
}

std::unique_ptr<BoundTable> Maker::tableOf(std::unique_ptr<const Machine> machine,
                                           BoundRequest bounds) {
  stage("compare cuts");
  std::optional<Bytes> assumed = bounds.slotSize.value_or(machine->queue.slotSize);
  if (machine->hasProtocols() || bounds.linksOnly || assumed == Bytes())
    assumed.reset();
  bounds.budget.deadline = request.deadline;
  std::string network = bounds.network;
  Collective collective = bounds.collective;
  return std::unique_ptr<BoundTable>(new BoundTable{std::move(machine),
                                                    std::move(network),
                                                    std::move(collective),
                                                    CollectiveBound(std::move(bounds)),
                                                    std::nullopt,
                                                    assumed,
                                                    {}});
}

std::unique_ptr<const BoundTable> Maker::boundRanks() {
  FailureOr<SelectedRanks> selected = selectRanks(request.ranks, diags);
  if (failed(selected))
    return nullptr;
  auto machine = std::make_unique<const Machine>(std::move(selected->machine));
  uint32_t ranks = selected->endpoints.size();
  if (failed(checkRoot(request.root, ranks, diags)))
    return nullptr;
  FailureOr<std::string> network = networkOf(*machine);
  if (failed(network))
    return nullptr;
  warnOfEqualRoutes(*machine, selected->endpoints, diags);
  Collective collective(request.collective, ranks, 1, RankId(request.root));
  BoundRequest bounds{*machine, std::move(selected->endpoints), std::move(collective), *network};
  auto table = tableOf(std::move(machine), std::move(bounds));
  if (failed(checkPaths(*table->machine, table->bounds)))
    return nullptr;
  for (uint64_t size : request.sizes)
    table->rows.push_back({Bytes(size), table->bounds.at(Bytes(size)), std::nullopt});
  return table;
}

std::unique_ptr<const Machine> Maker::machineFor(const ProgramInfo &info) {
  if (info.collective.kind() != request.collective) {
    diags.error({}, formatv("plan '{0}' is of collective {1}, not {2}", info.name,
                            collectiveName(info.collective.kind()).data(),
                            collectiveName(request.collective).data()));
    return nullptr;
  }
  const TargetRequest &target = request.ranks.target;
  FailureOr<Machine> loaded = target.nameOrFile.empty()
                                  ? loadTargetOf(info, target.targetDir, target.overrides, diags)
                                  : loadTargetFor(&info, target, diags);
  return failed(loaded) ? nullptr : std::make_unique<const Machine>(std::move(*loaded));
}

/// Adds the bounds and the times of all sizes.
std::unique_ptr<const BoundTable> Maker::withTimes(std::unique_ptr<BoundTable> table,
                                                   Simulator &simulator) {
  for (uint64_t size : request.sizes) {
    stage(formatv("simulate {0} bytes", size));
    FailureOr<SizeResult> result = simulator.at(Bytes(size), request.type, diags);
    if (failed(result))
      return nullptr;
    table->rows.push_back({Bytes(size), table->bounds.at(Bytes(size)), result->time});
  }
  return table;
}

std::unique_ptr<const BoundTable> Maker::boundPlan(const ExecutablePlan &plan) {
  const ProgramInfo &info = ShownPlan(plan).info();
  std::unique_ptr<const Machine> owned = machineFor(info);
  if (!owned)
    return nullptr;
  FailureOr<std::string> network = networkOf(*owned);
  if (failed(network))
    return nullptr;
  FailureOr<PlacedExecutable> placed =
      PlacedExecutable::create(plan, *owned, owned->slotsFor(info), diags);
  if (failed(placed))
    return nullptr;
  const PlacedPlan *steps = placed->get().steps();
  if (steps)
    warnOfEqualRoutes(*steps, diags);
  stage("verify");
  std::unique_ptr<Simulator> simulator = placed->prove({*network}, diags);
  if (!simulator)
    return nullptr;
  auto table = tableOf(std::move(owned), boundRequestOf(placed->get(), *network));
  table->plan = info.name;
  auto timed = withTimes(std::move(table), *simulator);
  if (!timed && steps)
    (void)diags.fail(Failure::Wrong);
  return timed;
}
} // namespace

LogicalResult cclc::checkRoot(uint32_t root, uint32_t ranks, DiagnosticEngine &diags) {
  if (root < ranks)
    return success();
  return diags.error({}, formatv("root {0} is out of range: there are {1} ranks", root, ranks));
}

std::unique_ptr<const BoundTable> cclc::boundSizes(const BoundTableRequest &request,
                                                   DiagnosticEngine &diags) {
  Maker maker(request, diags);
  return request.plan ? maker.boundPlan(*request.plan) : maker.boundRanks();
}
