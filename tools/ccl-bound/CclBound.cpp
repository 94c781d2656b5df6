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
#include "cclc/Sim/SizeSimulation.h"
#include "cclc/Target/RankSelection.h"

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
    report(diags, "ccl-bound", args.format, args.plan.value_or(args.target));
    return code;
  }

  TargetRequest request() const {
    return {args.target, resources.targets, args.overrides, std::nullopt};
  }
  ExitCode boundRanks();
  ExitCode boundPlan();
  /// Reports ranks without a path between them.
  LogicalResult checkPaths(const Machine &machine, const CollectiveBound &bounds);
  ExitCode write(const BoundReport &report);

  BoundArguments args;
  Resources resources;
  DiagnosticEngine diags;
  Progress progress{"ccl-bound"};
};

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
  FailureOr<SelectedRanks> selected =
      selectRanks({request(), args.ranks, args.endpoints, args.mapper}, diags);
  if (failed(selected))
    return ExitCode::Unusable;
  const Machine &machine = selected->machine;
  uint32_t ranks = selected->endpoints.size();
  uint32_t root = args.root.value_or(0);
  if (root >= ranks) {
    diags.error({}, formatv("--root {0} is out of range: there are {1} ranks", root, ranks));
    return ExitCode::Unusable;
  }
  std::string network = args.network.value_or(machine.network);
  Collective collective(args.kind, ranks, 1, RankId(root));
  progress.stage("compare cuts");
  CollectiveBound bounds({machine, std::move(selected->endpoints), collective, network});
  if (failed(checkPaths(machine, bounds)))
    return ExitCode::Wrong;
  BoundReport report{machine.stamp, network, collective, bounds, std::nullopt, {}};
  for (uint64_t size : args.sizes)
    report.rows.push_back({Bytes(size), bounds.at(Bytes(size)), std::nullopt});
  return write(report);
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
  FailureOr<Machine> machine = loadTargetFor(&plan->info(), request(), diags);
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
  SizeVerifier verifier(*bound, proof.slotsNeeded);
  for (uint64_t size : args.sizes) {
    progress.stage(formatv("simulate {0} bytes", size));
    FailureOr<Sizing> sizing = proveSize(*bound, verifier, Bytes(size), DataType::F32, diags);
    if (failed(sizing))
      return ExitCode::Wrong;
    FailureOr<SimResult> timed = simulateProved(*bound, *sizing, network, {}, diags);
    if (failed(timed))
      return ExitCode::Wrong;
    report.rows.push_back({Bytes(size), bounds.at(Bytes(size)), timed->time});
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
