//===- Toolchain.cpp - Compile, prove, simulate, bound --------------------===//
//
// Each function is the work of one tool between its command line and its output: the same libraries
// in the same order, so that results equal those of the tools.
//
//===----------------------------------------------------------------------===//

#include "cclc/Api/Toolchain.h"

#include "Access.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/Constraints/PlanCheck.h"
#include "cclc/DSL/Registry.h"
#include "cclc/Semantics/PlanVerifier.h"
#include "cclc/Sim/DataExecutor.h"
#include "cclc/Sim/PlanBound.h"
#include "cclc/Sim/SizeSimulation.h"
#include "cclc/Support/Spelling.h"
#include "cclc/Target/RankSelection.h"
#include "cclc/Tune/Search.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::api;
using llvm::formatv;

Toolchain::Toolchain(std::string targets) : folder(std::move(targets)) {
  auto programs = std::make_shared<dsl::ProgramRegistry>();
  dsl::registerAllPrograms(*programs);
  registry = std::move(programs);
}

std::vector<std::string> Toolchain::programs() const {
  std::vector<std::string> names;
  for (const dsl::Declaration &program : registry->all())
    names.push_back(program.name());
  return names;
}

std::vector<std::string> Toolchain::targets() const {
  std::vector<std::string> names;
  for (auto &[name, description] : listTargets(folder))
    names.push_back(name);
  return names;
}

Result<Plan> Toolchain::compile(const std::string &program, const CompileOptions &options) const {
  if (const dsl::Declaration *found = registry->find(program))
    return compile(*found, options);
  DiagnosticEngine diags;
  diags.error({}, "unknown program '" + program + "'" + didYouMean(program, programs()));
  return Failed{diags};
}

static LogicalResult readOptions(const CompileOptions &options, const std::string &folder,
                                 CompileRequest &request, DiagnosticEngine &diags) {
  request.parameters.assign(options.parameters.begin(), options.parameters.end());
  request.ranks = options.ranks;
  if (options.target) {
    FailureOr<TargetRequest> target = requestOf(*options.target, folder, diags);
    if (failed(target))
      return failure();
    request.target = std::move(*target);
  }
  if (options.protocol)
    request.protocol = parseProtocol(*options.protocol);
  if (options.protocol && !request.protocol)
    return diags.error({}, "unknown protocol '" + *options.protocol +
                               "'; the protocols are Simple, LL, LL128");
  if (options.instances == 0u)
    return diags.error({}, "the number of instances must be at least 1");
  request.instances = options.instances;
  if (options.optimisation > 3)
    return diags.error(
        {}, formatv("the levels of optimisation are 0 to 3, not {0}", options.optimisation));
  request.optimisation = options.optimisation;
  request.minBytes = options.minBytes;
  request.maxBytes = options.maxBytes;
  request.search = findFastest;
  return success();
}

Result<Plan> Toolchain::compile(const dsl::Declaration &program,
                                const CompileOptions &options) const {
  DiagnosticEngine diags;
  CompileRequest request;
  if (failed(readOptions(options, folder, request, diags)))
    return Failed{diags};
  CompileOutcome outcome = cclc::compile(program, request, diags);
  if (!outcome.compiled)
    return Failed{diags, failureOf(outcome.code)};
  return {PlanAccess::make(std::move(outcome.compiled->plan)), messagesOf(diags)};
}

namespace {
/// A plan on a machine that is large enough for it.
class PlacedPlan {
public:
  PlacedPlan(const Plan &plan, std::string folder)
      : plan(PlanAccess::of(plan)), folder(std::move(folder)) {}

  LogicalResult load(const Target &target, DiagnosticEngine &diags) {
    FailureOr<TargetRequest> request = requestOf(target, folder, diags);
    if (failed(request))
      return failure();
    FailureOr<Machine> loaded = loadTargetFor(&plan.info(), std::move(*request), diags);
    if (failed(loaded))
      return failure();
    machine.emplace(std::move(*loaded));
    return success();
  }

  /// With the slots and the limits of the machine.
  PlanProof prove(DiagnosticEngine &diags) const {
    PlanProof proof = verifyPlan(plan, slots(), diags);
    if (failed(checkPlan(plan, *machine, slots(), diags, proof.slotsNeeded)))
      proof.verdict = std::max(proof.verdict, Verdict::Illegal);
    return proof;
  }
  Slots slots() const { return machine->slotsFor(plan.info().protocol); }

  const ExecPlan &plan;
  std::optional<Machine> machine;

private:
  std::string folder;
};

/// The simulations of a proved plan.
class Simulation {
public:
  Simulation(const BoundPlan &bound, const SimulateOptions &options, DataType type,
             std::optional<uint32_t> slotsNeeded)
      : bound(bound), verifier(bound, slotsNeeded),
        network(options.network.value_or(bound.machine.network)), type(type),
        checksData(options.checkData && bound.plan.info().collective.hasPostCondition()),
        bounds(bound, network, /*repeat=*/1) {}

  FailureOr<Timing> run(uint64_t bytes, DiagnosticEngine &diags) {
    FailureOr<Sizing> sizing = proveSize(bound, verifier, Bytes(bytes), type, diags);
    if (failed(sizing))
      return failure();
    if (!checksData)
      return timed(*sizing, {}, diags);
    std::optional<Timing> timing;
    for (Placement placement : bound.plan.info().placements.list()) {
      DataExecutor data(bound, *sizing, ReduceOp::Sum, placement, std::nullopt);
      SimOptions options;
      options.listeners = {&data};
      FailureOr<Timing> its = timed(*sizing, options, diags);
      if (failed(its))
        return failure();
      data.finish();
      if (std::optional<DataMismatch> mismatch = data.check())
        return diags.error({}, mismatchText(*mismatch, placement, Bytes(bytes), 1));
      timing = *its;
    }
    return *timing;
  }

private:
  FailureOr<Timing> timed(const Sizing &sizing, const SimOptions &options,
                          DiagnosticEngine &diags) {
    FailureOr<SimResult> result = simulateProved(bound, sizing, network, options, diags);
    if (failed(result))
      return failure();
    Timing timing{sizing.requested.count(), result->time.picoseconds(), std::nullopt};
    if (std::optional<SizeBound> least = bounds.of(sizing); least && least->link() > SimTime())
      timing.boundShare = least->shareOf(result->time);
    return timing;
  }

  const BoundPlan &bound;
  SizeVerifier verifier;
  std::string network;
  DataType type;
  bool checksData;
  PlanBound bounds;
};
} // namespace

Result<Proof> Toolchain::verify(const Plan &plan, const Target &target) const {
  DiagnosticEngine diags;
  PlacedPlan placed(plan, folder);
  if (failed(placed.load(target, diags)))
    return Failed{diags};
  PlanProof proof = placed.prove(diags);
  return Proof{verdictName(proof.verdict).str(), proof.slotsNeeded, proof.reductionHash,
               messagesOf(diags)};
}

Result<std::vector<Timing>> Toolchain::simulate(const Plan &plan, const Target &target,
                                                const SimulateOptions &options) const {
  DiagnosticEngine diags;
  PlacedPlan placed(plan, folder);
  FailureOr<DataType> type = typeOf(options.type, diags);
  if (failed(type) || failed(placed.load(target, diags)) ||
      (options.network && failed(checkNetwork(*options.network, diags))))
    return Failed{diags};
  FailureOr<BoundPlan> bound =
      BoundPlan::create(placed.plan, *placed.machine, placed.slots(), diags);
  if (failed(bound))
    return Failed{diags};
  PlanProof proof = placed.prove(diags);
  if (proof.verdict != Verdict::Ok)
    return Failed{diags, Failure::Wrong};
  Simulation simulation(*bound, options, *type, proof.slotsNeeded);
  std::vector<Timing> timings;
  for (uint64_t bytes : options.bytes) {
    FailureOr<Timing> timing = simulation.run(bytes, diags);
    if (failed(timing))
      return Failed{diags, Failure::Wrong};
    timings.push_back(*timing);
  }
  return {std::move(timings), messagesOf(diags)};
}

Result<std::vector<LowerBound>> Toolchain::bound(const Target &target,
                                                 const BoundOptions &options) const {
  DiagnosticEngine diags;
  FailureOr<CollectiveKind> kind = collectiveOf(options.collective, diags);
  FailureOr<TargetRequest> request = requestOf(target, folder, diags);
  if (failed(kind) || failed(request))
    return Failed{diags};
  FailureOr<SelectedRanks> ranks = selectRanks({std::move(*request), options.ranks}, diags);
  if (failed(ranks))
    return Failed{diags};
  if (options.root >= ranks->endpoints.size()) {
    diags.error({}, formatv("root {0} is out of range: there are {1} ranks", options.root,
                            ranks->endpoints.size()));
    return Failed{diags};
  }
  Collective collective(*kind, ranks->endpoints.size(), 1, RankId(options.root));
  CollectiveBound bounds({ranks->machine, ranks->endpoints, collective, ranks->machine.network});
  std::vector<LowerBound> rows;
  for (uint64_t bytes : options.bytes) {
    SizeBound least = bounds.at(Bytes(bytes));
    rows.push_back(
        {bytes, least.time().picoseconds(), boundName(least.binds).str(), least.witness});
  }
  return {std::move(rows), messagesOf(diags)};
}
