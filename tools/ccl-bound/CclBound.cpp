//===- CclBound.cpp - The command line of ccl-bound -----------------------===//
//
// Loads a machine, selects the ranks, bounds the collective, and simulates a plan if one is given,
// to report its share of the bound. Ranks are selected as by cclc: the first N endpoints of the
// mapper's, or a list.
//
//===----------------------------------------------------------------------===//

#include "BoundArguments.h"
#include "BoundOutput.h"

#include "cclc/Cli/CommandLine.h"

#include "cclc/Constraints/PlanCheck.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Semantics/PlanVerifier.h"
#include "cclc/Sim/Engine.h"
#include "cclc/Sim/SizeMemory.h"
#include "cclc/Sim/SizeVerifier.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
class CclBound {
public:
  explicit CclBound(const char *argv0) : resources(Resources::find(argv0)) {}

  std::optional<int> parse(int argc, char **argv) {
    CommandLine line("ccl-bound",
                     "Compute lower bounds on the time of a collective on a machine.\n\nThe bounds "
                     "hold for every plan that ccl-sim executes; the one that binds is named.");
    args.addTo(line);
    return line.parse(argc, argv);
  }

  ExitCode run() {
    if (failed(args.read(resources, diags)))
      return end(ExitCode::Unusable);
    return end(args.plan ? boundPlan() : boundRanks());
  }

private:
  ExitCode end(ExitCode code) {
    progress.clear();
    report(diags, "ccl-bound");
    return code;
  }

  TargetRequest request(std::optional<uint32_t> ranks) const {
    return {args.target, resources.targets, args.overrides, ranks};
  }
  FailureOr<std::vector<EndpointId>> selectRanks(std::optional<Machine> &machine);
  ExitCode boundRanks();
  ExitCode boundPlan();
  FailureOr<SimTime> timeOf(const BoundPlan &bound, const std::string &network, Bytes size,
                            std::optional<uint32_t> slotsNeeded);
  /// Reports ranks without a path between them.
  LogicalResult checkPaths(const Machine &machine, const CollectiveBound &bounds);
  ExitCode write(const BoundReport &report);

  BoundArguments args;
  Resources resources;
  DiagnosticEngine diags;
  Progress progress{"ccl-bound"};
};

/// Loads the machine, large enough for the ranks, and returns their endpoints.
FailureOr<std::vector<EndpointId>> CclBound::selectRanks(std::optional<Machine> &machine) {
  auto load = [&](std::optional<uint32_t> ranks) {
    FailureOr<Machine> loaded = loadTarget(request(ranks), diags);
    if (failed(loaded))
      return false;
    machine.emplace(std::move(*loaded));
    return true;
  };
  std::vector<EndpointId> endpoints;
  if (!args.endpoints.empty()) {
    uint32_t last = *std::max_element(args.endpoints.begin(), args.endpoints.end());
    if (!load(last + 1))
      return failure();
    if (last >= machine->numEndpoints())
      return diags.error({}, formatv("endpoint {0} is out of range: target {1} has {2} endpoints",
                                     last, machine->name, machine->numEndpoints()));
    for (uint32_t endpoint : args.endpoints)
      endpoints.push_back(EndpointId(endpoint));
    return endpoints;
  }
  std::optional<uint32_t> ranks = args.ranks;
  if (!load(ranks))
    return failure();
  std::vector<uint32_t> selected = machine->select(args.mapper).endpoints;
  if (ranks && *ranks > selected.size()) {
    // A scalable machine is enlarged by the endpoints that the mapper leaves unused.
    if (!load(uint32_t(ceilDiv(uint64_t(*ranks) * machine->numEndpoints(), selected.size()))))
      return failure();
    selected = machine->select(args.mapper).endpoints;
  }
  if (ranks && *ranks > selected.size())
    return diags.error({}, formatv("{0} ranks are requested, but target {1} has room for {2} "
                                   "(mapper {3})",
                                   *ranks, machine->name, selected.size(),
                                   mapperName(args.mapper).data()));
  selected.resize(ranks.value_or(selected.size()));
  for (uint32_t endpoint : selected)
    endpoints.push_back(EndpointId(endpoint));
  return endpoints;
}

LogicalResult CclBound::checkPaths(const Machine &machine, const CollectiveBound &bounds) {
  const auto &missing = bounds.graph().unreachable();
  if (!missing || bounds.link().cut.capacity)
    return success();
  auto name = [&](RankId rank) {
    return machine.nodes()[bounds.graph().machineNode(rank.index()).index()].name;
  };
  return diags.error({},
                     formatv("no path from {0} to {1} on target {2}: the collective has no plan",
                             name(missing->first), name(missing->second), machine.name));
}

ExitCode CclBound::write(const BoundReport &report) {
  progress.clear();
  if (args.json &&
      failed(writeFile(*args.json, [&](raw_ostream &os) { writeBoundsJson(report, os); }, diags)))
    return ExitCode::Unusable;
  if (args.json != "-" &&
      failed(writeFile("-", [&](raw_ostream &os) { printBounds(report, os); }, diags)))
    return ExitCode::Unusable;
  return ExitCode::Success;
}

ExitCode CclBound::boundRanks() {
  std::optional<Machine> machine;
  FailureOr<std::vector<EndpointId>> endpoints = selectRanks(machine);
  if (failed(endpoints))
    return ExitCode::Unusable;
  uint32_t ranks = endpoints->size();
  uint32_t root = args.root.value_or(0);
  if (root >= ranks) {
    diags.error({}, formatv("--root {0} is out of range: there are {1} ranks", root, ranks));
    return ExitCode::Unusable;
  }
  std::string network = args.network.value_or(machine->network);
  Collective collective(args.kind, ranks, 1, RankId(root));
  progress.stage("compare cuts");
  CollectiveBound bounds({*machine, std::move(*endpoints), collective, network});
  if (failed(checkPaths(*machine, bounds)))
    return ExitCode::Wrong;
  BoundReport report{machine->stamp, network, collective, bounds, std::nullopt, {}};
  for (uint64_t size : args.sizes)
    report.rows.push_back({Bytes(size), bounds.at(Bytes(size)), std::nullopt});
  return write(report);
}

FailureOr<SimTime> CclBound::timeOf(const BoundPlan &bound, const std::string &network, Bytes size,
                                    std::optional<uint32_t> slotsNeeded) {
  progress.stage("simulate " + std::to_string(size.count()) + " bytes");
  FailureOr<Sizing> sizing = Sizing::create(bound, size, DataType::F32, diags);
  if (failed(sizing) || failed(checkMemory(bound, *sizing, diags)))
    return failure();
  SizeVerifier verifier(bound, slotsNeeded);
  if (!verifier.prove(*sizing).safe) {
    verifier.report(*sizing, diags);
    return failure();
  }
  SimResult result = simulate(bound, *sizing, *createNetwork(network, bound.routes), {});
  if (!result.completed)
    return diags.error({}, formatv("the plan does not complete with {0} bytes", size.count()));
  return result.time;
}

ExitCode CclBound::boundPlan() {
  progress.stage("read " + *args.plan);
  auto buffer = openPlanFile(*args.plan, diags);
  if (failed(buffer))
    return ExitCode::Unusable;
  FailureOr<ExecPlan> plan = readPlan((*buffer)->getBuffer(), planFileName(*args.plan), diags);
  if (failed(plan))
    return ExitCode::Unusable;
  const Collective &collective = plan->info().collective;
  if (collective.kind() != args.kind) {
    diags.error({}, formatv("plan '{0}' is of collective {1}, not {2}", plan->info().name,
                            collectiveName(collective.kind()).data(),
                            collectiveName(args.kind).data()));
    return ExitCode::Unusable;
  }
  FailureOr<Machine> machine = loadTargetFor(&plan->info(), request(std::nullopt), diags);
  if (failed(machine))
    return ExitCode::Unusable;
  Slots slots = machine->slotsFor(plan->info().protocol);
  FailureOr<BoundPlan> bound = BoundPlan::create(*plan, *machine, slots, diags);
  if (failed(bound))
    return ExitCode::Unusable;
  progress.stage("verify");
  PlanProof proof = verifyPlan(*plan, slots, diags);
  if (proof.verdict != Verdict::Ok ||
      failed(checkPlan(*plan, *machine, slots, diags, proof.slotsNeeded)))
    return ExitCode::Wrong;
  std::string network = args.network.value_or(machine->network);
  progress.stage("compare cuts");
  CollectiveBound bounds(
      {*machine, bound->endpointOf, collective, network,
       machine->hasProtocols() ? std::optional(plan->info().protocol) : std::nullopt});
  BoundReport report{machine->stamp, network, collective, bounds, plan->info().name, {}};
  for (uint64_t size : args.sizes) {
    FailureOr<SimTime> time = timeOf(*bound, network, Bytes(size), proof.slotsNeeded);
    if (failed(time))
      return ExitCode::Wrong;
    report.rows.push_back({Bytes(size), bounds.at(Bytes(size)), *time});
  }
  return write(report);
}
} // namespace

int main(int argc, char **argv) {
  return guarded("ccl-bound", [&] {
    CclBound tool(argv[0]);
    if (std::optional<int> code = tool.parse(argc, argv))
      return static_cast<ExitCode>(*code);
    return tool.run();
  });
}
