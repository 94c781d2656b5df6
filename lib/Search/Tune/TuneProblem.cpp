//===- TuneProblem.cpp - The machine and the ranks of a search ------------===//
//
// The ranks are the endpoints of a group, or the first endpoints that the mapper selects, as in a
// compilation. The link bound of the collective is found once and scaled to every size.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/TuneProblem.h"

#include "cclc/Bound/ShapeClasses.h"
#include "cclc/Formats/Msccl/Dialect.h"
#include "cclc/Sim/Mscclpp/Simulator.h"
#include "cclc/Sim/Network/Network.h"
#include "cclc/Support/Sha256.h"
#include "cclc/Support/Version.h"
#include "cclc/Target/EqualRoutes.h"
#include "cclc/Target/RankSelection.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace cclc;
using llvm::formatv;

bool TuneProblem::isInPlace() const {
  if (runtime->form == RuntimeForm::Module)
    return true; // a kernel has one tensor
  return collective != CollectiveKind::AllToAll && collective != CollectiveKind::AllToNext &&
         collective != CollectiveKind::SendRecv && collective != CollectiveKind::Custom;
}

SizeBound TuneProblem::boundOf(uint64_t size) const {
  if (boundOfAllPlaces) // whose distances differ as well
    return boundOfAllPlaces->at(Bytes(size), /*latency=*/false);
  SizeBound least = bounds->at(Bytes(size));
  for (const auto &other : boundsOfOtherRoots)
    if (SizeBound bound = other->at(Bytes(size)); bound.time() < least.time())
      least = std::move(bound);
  return least;
}

SimTime TuneProblem::linkBound(uint64_t size) const {
  if (!hasLinkBound() || boundOfAllPlaces)
    return SimTime();
  SimTime least = bounds->link().time(Bytes(size));
  for (const auto &other : boundsOfOtherRoots)
    least = std::min(least, other->link().time(Bytes(size)));
  return least;
}

/// A plan may place the root where more links leave, and neighbours where they are close.
void TuneProblem::boundOtherPlaces(const BoundRequest &request) {
  constexpr uint32_t mostRanks = 256; // whose roots take a second to compare
  constexpr size_t mostRoots = 64;
  const bool ordered = collective == CollectiveKind::AllToNext ||
                       collective == CollectiveKind::SendRecv || isScan(collective);
  if (!group.empty() || !runtime->placesRanks() || !(ordered || request.collective.isRooted()))
    return;
  const FlowGraph &graph = bounds->graph();
  ShapeClasses shapes;
  std::vector<uint32_t> roots;
  const bool compares = !ordered && ranks() <= mostRanks;
  for (uint32_t root = 0; compares && root < ranks() && roots.size() <= mostRoots; ++root) {
    const uint32_t known = shapes.size();
    const Collective moved(collective, ranks(), 1, RankId(root));
    if (shapes.classOf(machine, request.endpoints, graph, moved) == known)
      roots.push_back(root);
  }
  BoundRequest other = request;
  if (!compares || roots.size() > mostRoots) {
    other.network = "ideal";
    boundOfAllPlaces = std::make_unique<const CollectiveBound>(std::move(other));
    return;
  }
  for (uint32_t root : ArrayRef<uint32_t>(roots).drop_front()) {
    other.collective = Collective(collective, ranks(), 1, RankId(root));
    boundsOfOtherRoots.push_back(std::make_unique<const CollectiveBound>(other));
  }
}

std::string TuneProblem::findContext() const {
  std::string text =
      formatv("cclc {0}\n{1}\nmapper {2}\nnetwork {3}\ntype {4}\nendpoints", versionString(),
              collectiveName(collective), mapperName(mapper), network, dataTypeName(type));
  for (uint32_t endpoint : endpoints)
    text += formatv(" {0}", endpoint);
  text += formatv("\nfor {0}", runtime->name);
  if (invariant)
    text += "\nuniform reduction order";
  return sha256(text + "\n" + resolvedTarget);
}

/// The mapper that selects \p ranks endpoints of \p machine.
static Mapper mapperFor(const Machine &machine, std::optional<uint32_t> ranks) {
  for (Mapper mapper : {Mapper::AllPes, Mapper::CubeLeaders, Mapper::LeaderOnly})
    if (ranks && machine.select(mapper).endpoints.size() == *ranks)
      return mapper;
  return Mapper::AllPes;
}

/// The number of members of the outermost level with one of \p endpoints.
static uint32_t nodesOf(const Machine &machine, ArrayRef<uint32_t> endpoints) {
  if (machine.geometry().levels.size() < 2)
    return 1;
  uint32_t perNode = machine.numEndpoints() / machine.geometry().levels.front().size();
  std::set<uint32_t> nodes;
  for (uint32_t endpoint : endpoints)
    nodes.insert(endpoint / perNode);
  return nodes.size();
}

/// Whether \p runtime has the collective \p kind.
static bool executes(const Runtime &runtime, CollectiveKind kind) {
  // Its interface is that of NCCL, which it overrides for these.
  static constexpr CollectiveKind ofMscclpp[] = {
      CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
      CollectiveKind::Broadcast};
  if (runtime.form == RuntimeForm::Mscclpp)
    return llvm::is_contained(ofMscclpp, kind);
  // The tensor of a kernel is divided equally.
  if (runtime.form == RuntimeForm::Module)
    return kind != CollectiveKind::Gather && kind != CollectiveKind::Scatter;
  const MscclDialect *dialect = findMscclDialect(runtime.name);
  return !dialect || dialect->spelling(kind);
}

/// Fails if no plan of \p kind on \p machine can be timed as \p runtime executes it.
static LogicalResult checkRuntime(const Runtime &runtime, CollectiveKind kind,
                                  const Machine &machine, DiagnosticEngine &diags) {
  if (runtime.form == RuntimeForm::Mscclpp && !machine.mscclpp)
    return diags.error({}, formatv("target {0} has no costs of the executor of MSCCL++, so that "
                                   "plans for it cannot be timed; add the key 'mscclpp', or search "
                                   "with --runtime sim",
                                   machine.name));
  if (!executes(runtime, kind))
    return diags
        .error({}, formatv("{0} executes no plan of {1}; search with --runtime sim",
                           runtime.product, collectiveName(kind)))
        .as(Failure::Unfit);
  return success();
}

uint64_t TuneProblem::sizeMultiple() const {
  return runtime->form == RuntimeForm::Xml
             ? MscclDialect::sizeDivisor(Collective(collective, ranks(), 1))
             : 1;
}

uint64_t TuneProblem::executorMultiple() const {
  return uint64_t(ranks()) * mscclpp::Header::defaultAlignment;
}

/// The sizes of a sweep rounded down to multiples of \p unit, and of as many of them as change a
/// size by less than 1/64, so that many divisions of a buffer divide them too.
static std::vector<uint64_t> multiplesOf(uint64_t unit, ArrayRef<uint64_t> sizes) {
  constexpr uint64_t leastUnits = 64;
  std::vector<uint64_t> rounded;
  for (uint64_t size : sizes) {
    uint64_t step = unit;
    while (step * 2 <= size / leastUnits)
      step *= 2;
    rounded.push_back(std::max(size - size % step, unit));
  }
  rounded.erase(std::unique(rounded.begin(), rounded.end()), rounded.end());
  return rounded;
}

FailureOr<TuneProblem> TuneProblem::create(const TuneRequest &request, DiagnosticEngine &diags) {
  TargetRequest target = request.target;
  if (!target.ranks)
    target.ranks =
        request.endpoints.empty() ? request.ranks : *llvm::max_element(request.endpoints) + 1;
  std::string resolved;
  FailureOr<Machine> machine = loadTarget(target, diags, &resolved);
  if (failed(machine))
    return failure();
  if (request.mapper && failed(checkMapper(*machine, *request.mapper, diags)))
    return failure();
  Mapper mapper = request.mapper.value_or(mapperFor(*machine, request.ranks));
  std::vector<uint32_t> endpoints = request.endpoints;
  for (uint32_t endpoint : endpoints)
    if (endpoint >= machine->numEndpoints())
      return diags.error({}, formatv("endpoint {0} is out of range: target {1} has {2} endpoints",
                                     endpoint, machine->name, machine->numEndpoints()));
  if (endpoints.empty()) {
    endpoints = machine->select(mapper).endpoints;
    uint32_t ranks = request.ranks.value_or(endpoints.size());
    if (ranks > endpoints.size())
      return diags.error({}, formatv("{0} ranks are requested, but target {1} has room for {2} "
                                     "(mapper {3})",
                                     ranks, machine->name, endpoints.size(), mapperName(mapper)));
    endpoints.resize(ranks);
  }
  if (endpoints.size() < 2)
    return diags.error(
        {}, formatv("a collective needs at least 2 ranks, not {0}: set --ranks", endpoints.size()));
  std::string network = request.network.value_or(machine->network);
  if (failed(checkNetwork(network, diags)))
    return failure();
  std::vector<EndpointId> ids(endpoints.begin(), endpoints.end());
  warnOfEqualRoutes(*machine, ids, diags);
  const Runtime *runtime = request.runtime ? request.runtime : machine->runtime;
  const bool isOfMscclpp = runtime->form == RuntimeForm::Mscclpp;
  if (failed(checkRuntime(*runtime, request.collective, *machine, diags)) ||
      (isOfMscclpp && failed(mscclpp::checkElements(ReduceOp::Sum, request.type, diags))))
    return failure();
  TuneProblem problem(std::make_unique<const Machine>(std::move(*machine)));
  BoundRequest bounds{problem.machine, std::move(ids),
                      Collective(request.collective, endpoints.size(), 1), network};
  bounds.linksOnly = isOfMscclpp;
  if (problem.machine.hasSlotsOfPlans())
    bounds.slotSize = Bytes();
  problem.bounds = std::make_unique<const CollectiveBound>(bounds);
  problem.network = std::move(network);
  problem.type = request.type;
  problem.sizes = request.sizes;
  problem.onlyMscclpp = isOfMscclpp;
  problem.inOnePiece = runtime->form == RuntimeForm::Module;
  problem.invariant = request.invariant;
  problem.pipelineRanks = endpoints.size();
  problem.collective = request.collective;
  problem.target = std::move(target);
  problem.group = request.endpoints;
  problem.mapper = mapper;
  problem.parameters = request.parameters;
  problem.guardsPrograms = request.guardsPrograms;
  problem.runtime = runtime;
  problem.resolvedTarget = std::move(resolved);
  problem.nodes = nodesOf(problem.machine, endpoints);
  problem.endpoints = std::move(endpoints);
  if (isOfMscclpp && request.roundsSizes) {
    problem.sizes = multiplesOf(problem.executorMultiple(), request.sizes);
    problem.hasRoundedSizes = problem.sizes != request.sizes;
  }
  problem.boundOtherPlaces(bounds);
  problem.context = problem.findContext();
  return problem;
}
