//===- Resolve.cpp - Resolving parameters, ranks and the machine ----------===//
//
// The steps follow the dependences: parameters with their defaults, nodes of the target as
// parameters, the number of ranks, a machine that is large enough, and the endpoints that the
// mapper selects. A scalable target is loaded a second time if the mapper or the nodes leave
// endpoints unused.
//
//===----------------------------------------------------------------------===//

#include "Resolve.h"

#include "EndpointGroup.h"
#include "TargetNodes.h"
#include "cclc/Compiler/Layout.h"
#include "cclc/Compiler/RankGroup.h"

#include "cclc/IR/Verifier.h"
#include "cclc/Support/Spelling.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using dsl::Declaration;
using dsl::ParamSpec;
using llvm::formatv;

std::vector<ParamSpec> cclc::allParameters(const Declaration &declaration) {
  std::vector<ParamSpec> specs = declaration.params();
  dsl::ChoiceParam buffers{"buffers", "placement of input and output", "", {}};
  std::string otherwise(buffersName(declaration.defaultBuffers()));
  buffers.value = otherwise.c_str();
  if (declaration.buffers() == dsl::Buffers::Both)
    buffers.choices = {"in_place", "out_of_place", "both"};
  else
    buffers.choices = {buffers.value};
  specs.emplace_back(buffers);
  dsl::ChoiceParam mapper{"mapper",
                          "participating PEs of a machine with levels",
                          mapperName(declaration.mapper()).data(), // NOLINT: a literal
                          {"leader_only", "cube_leaders", "all_pes"}};
  if (declaration.fixesMapper())
    mapper.choices = {mapper.value};
  specs.emplace_back(mapper);
  return specs;
}

static Placements placementsFor(StringRef buffers) {
  if (buffers == "both")
    return Placements::both();
  return buffers == "in_place" ? Placements::inPlace() : Placements::outOfPlace();
}

namespace {
/// Each step reports its error.
class Resolver {
public:
  Resolver(const Declaration &declaration, const CompileRequest &request, const UserCode &code,
           DiagnosticEngine &diags)
      : declaration(declaration), request(request), code(code), diags(diags) {}

  LogicalResult resolveParameters();
  LogicalResult resolveRanks();
  Resolved take() { return std::move(resolved); }

private:
  LogicalResult resolveMachine(uint32_t room);
  LogicalResult resolvePlaces(bool fixed);
  LogicalResult resolveGroup();
  void takePlaces(Geometry places, std::vector<uint32_t> endpoints);
  LogicalResult checkLayout(Mapper mapper);
  std::string needsLayout() const;
  std::optional<std::string> parameter(StringRef name) const;

  const Declaration &declaration;
  const CompileRequest &request;
  const UserCode &code;
  DiagnosticEngine &diags;
  std::vector<std::pair<std::string, std::string>> values; ///< values of all parameters
  Resolved resolved;
};
} // namespace

std::optional<std::string> Resolver::parameter(StringRef name) const {
  for (const auto &[key, value] : values)
    if (key == name)
      return value;
  return std::nullopt;
}

LogicalResult Resolver::resolveParameters() {
  if (!request.endpoints.empty() && failed(checkGroup(declaration, request, diags)))
    return failure();
  std::vector<ParamSpec> specs = allParameters(declaration);
  std::vector<std::string> names;
  for (const ParamSpec &spec : specs) {
    names.push_back(spec.name);
    values.emplace_back(spec.name, spec.value);
  }
  for (const auto &[key, given] : request.parameters) {
    auto spec =
        std::find_if(specs.begin(), specs.end(), [&](const ParamSpec &s) { return s.name == key; });
    if (spec == specs.end()) {
      std::string all;
      for (const std::string &name : names)
        all += (all.empty() ? "" : ", ") + name;
      return diags.error({}, formatv("program '{0}' has no parameter '{1}'{2}; it has {3}",
                                     declaration.name(), key, didYouMean(key, names), all));
    }
    std::string value = given;
    if (key == "mapper" && parseMapper(given) && failed(checkLayout(*parseMapper(given))))
      return failure();
    if (!spec->accept(value))
      return diags.error(
          {}, formatv("parameter '{0}' takes {1}, not '{2}'", key, spec->domain(), given));
    values[spec - specs.begin()].second = value;
  }
  resolved.options.placements = placementsFor(*parameter("buffers"));
  if (failed(adoptNodes(declaration, request, *parseMapper(*parameter("mapper")), values, diags)))
    return failure();
  // Only the parameters that the program itself declares are passed to it and recorded in the plan.
  resolved.options.parameters = dsl::ParamValues(
      {values.begin(), values.begin() + std::ptrdiff_t(declaration.params().size())});
  return success();
}

std::string Resolver::needsLayout() const {
  Layout layout = layoutOf(declaration.mapper());
  return formatv("program '{0}' needs layout {1}, {2}", declaration.name(), layout.name,
                 layout.meaning);
}

/// Rejects a mapper other than the one that the program fixes.
LogicalResult Resolver::checkLayout(Mapper mapper) {
  if (!declaration.fixesMapper() || mapper == declaration.mapper())
    return success();
  Layout other = layoutOf(mapper);
  return diags.error({}, formatv("{0} (mapper={1}); mapper={2} is layout {3}, {4}", needsLayout(),
                                 mapperName(declaration.mapper()), mapperName(mapper), other.name,
                                 other.meaning));
}

/// Whether the target lets the plan choose its slots.
static LogicalResult checkSlotSize(const CompileRequest &request, const Machine &machine,
                                   DiagnosticEngine &diags) {
  if (!request.slotSize)
    return success();
  if (!machine.hasSlotsOfPlans())
    return diags.error({},
                       formatv("target {0} fixes the slots of a connection: --slot-size needs a "
                               "target that limits the memory of slots and has no protocols",
                               machine.name));
  if (machine.hasSlotSettings())
    return diags.error(
        {}, formatv("--slot-size and --set {0}.slot_size exclude each other", machine.queueKey));
  if (request.slots && request.slots->isUnlimited())
    return diags.error({}, "--slot-size needs a number of slots, not --slots inf");
  return success();
}

LogicalResult Resolver::resolveMachine(uint32_t room) {
  if (!request.target) {
    if (request.slotSize)
      return diags.error({}, "--slot-size requires --target, whose memory contains the slots");
    if (request.optimisation >= 3)
      return diags.error({}, "-O3 requires --target to time variants of the plan");
    RankPlacement placement = request.placement.value_or(RankPlacement::Linear);
    if (placement != RankPlacement::Linear)
      return diags.error({}, formatv("--placement={0} requires --target to map ranks to its PEs",
                                     rankPlacementName(placement)));
    return success();
  }
  TargetRequest target = *request.target;
  target.ranks = std::max(room, target.ranks.value_or(0));
  // The limits of a target are those of the runtime that executes steps.
  target.withLimits = !request.onlyMscclpp;
  FailureOr<Machine> loaded = loadTarget(target, diags);
  if (failed(loaded))
    return failure();
  resolved.machine.emplace(std::move(*loaded));
  return checkSlotSize(request, *resolved.machine, diags);
}

/// The number of ranks is determined by parameters of the program, else --ranks, else the target,
/// else the program's default.
LogicalResult Resolver::resolveRanks() {
  bool fixed = true;
  if (declaration.ranksFrom()) {
    auto derive = [&] {
      resolved.options.ranks = declaration.ranksFrom()(resolved.options.parameters);
    };
    if (failed(runUserCode(code, "in ranksFrom()", derive, diags)))
      return failure();
    if (request.ranks && *request.ranks != resolved.options.ranks)
      return diags.error({},
                         formatv("the parameters of '{0}' result in {1} ranks, but --ranks is {2}",
                                 declaration.name(), resolved.options.ranks, *request.ranks));
  } else if (!request.endpoints.empty()) {
    resolved.options.ranks = request.endpoints.size();
  } else if (request.ranks) {
    resolved.options.ranks = *request.ranks;
  } else {
    resolved.options.ranks = declaration.defaultRanks();
    fixed = false;
  }
  if (resolved.options.ranks > maxRanks)
    return diags.error({}, formatv("{0} ranks exceed the limit of {1}", resolved.options.ranks,
                                   uint32_t(maxRanks)));
  if (failed(resolveMachine(std::max(resolved.options.ranks, roomOf(request.endpoints)))))
    return failure();
  if (!request.endpoints.empty()) {
    if (failed(resolveGroup()))
      return failure();
  } else if (!resolved.machine)
    resolved.options.geometry = {{{"rank", GridKind::Flat, resolved.options.ranks, 1}}};
  else if (failed(resolvePlaces(fixed)))
    return failure();
  if (resolved.options.ranks < uint32_t(declaration.fewestRanks()))
    return diags.error({}, formatv("program '{0}' needs at least {1} ranks, not {2}",
                                   declaration.name(), declaration.fewestRanks(),
                                   resolved.options.ranks));
  return success();
}

/// Determines the participants on the machine, and the endpoint of each rank. \p fixed: the number
/// of ranks does not come from the target.
LogicalResult Resolver::resolvePlaces(bool fixed) {
  std::string mapper = *parameter("mapper");
  Machine::Selection selection = resolved.machine->select(*parseMapper(mapper));
  if (!fixed)
    resolved.options.ranks = selection.endpoints.size();
  std::optional<NodeShape> nodes = nodesOfProgram(declaration, values, resolved.options.ranks);
  // A scalable machine is enlarged by the endpoints that the mapper or the nodes leave unused.
  uint64_t needed = resolved.options.ranks;
  if (nodes && selection.geometry.levels.size() > 1) {
    uint64_t perNode = selection.endpoints.size() / selection.geometry.levels.front().size();
    needed = std::max(needed, nodes->ranksPerNode < perNode ? nodes->nodes * perNode : 0);
  }
  if (needed > selection.endpoints.size()) {
    uint64_t room = ceilDiv(needed * resolved.machine->numEndpoints(), selection.endpoints.size());
    if (failed(resolveMachine(room)))
      return failure();
    selection = resolved.machine->select(*parseMapper(mapper));
  }
  if (resolved.options.ranks > selection.endpoints.size())
    return diags.error(
        {}, formatv("{0} ranks are requested, but target {1} has room for {2} (mapper {3})",
                    resolved.options.ranks, resolved.machine->name, selection.endpoints.size(),
                    mapper));
  if (declaration.fixesMapper() && resolved.options.ranks < selection.endpoints.size())
    return diags.error({}, formatv("{0}: {1} tiles on target {2}, but {3} ranks are requested",
                                   needsLayout(), selection.endpoints.size(),
                                   resolved.machine->name, resolved.options.ranks));
  if (resolved.options.ranks < selection.endpoints.size())
    warnOfUnused(declaration, resolved.options.ranks, selection.endpoints.size(),
                 resolved.machine->name + " (mapper " + mapper + ")", diags);
  if (nodes)
    warnOfNodes(declaration, *nodes, selection, resolved.machine->name, diags);
  // With fewer ranks than endpoints, the ranks no longer form a grid.
  resolved.options.geometry = selection.geometry;
  if (resolved.options.ranks < selection.endpoints.size()) {
    resolved.options.geometry = {{{"rank", GridKind::Flat, resolved.options.ranks, 1}}};
    if (nodes)
      keepNodes(*nodes, selection);
  }
  takePlaces(std::move(selection.geometry), std::move(selection.endpoints));
  return success();
}

/// Places the ranks on the endpoints of the request.
LogicalResult Resolver::resolveGroup() {
  FailureOr<Machine::Selection> group = selectGroup(*resolved.machine, request.endpoints, diags);
  if (failed(group))
    return failure();
  if (resolved.options.ranks != request.endpoints.size())
    return diags.error({}, formatv("the parameters of '{0}' result in {1} ranks, but --endpoints "
                                   "lists {2} endpoints",
                                   declaration.name(), resolved.options.ranks,
                                   request.endpoints.size()));
  resolved.options.geometry = group->geometry;
  takePlaces(std::move(group->geometry), std::move(group->endpoints));
  return success();
}

/// Records the places for ranks, of which the first ones are used.
void Resolver::takePlaces(Geometry places, std::vector<uint32_t> endpoints) {
  resolved.places = std::move(places);
  resolved.options.placementOnTarget.assign(endpoints.begin(),
                                            endpoints.begin() + resolved.options.ranks);
  resolved.endpoints = std::move(endpoints);
  resolved.options.target = resolved.machine->stamp;
}

FailureOr<Resolved> cclc::resolve(const Declaration &declaration, const CompileRequest &request,
                                  const UserCode &code, DiagnosticEngine &diags) {
  Resolver resolver(declaration, request, code, diags);
  if (failed(resolver.resolveParameters()) || failed(resolver.resolveRanks()))
    return failure();
  return resolver.take();
}

FailureOr<RankGroup> cclc::resolveRanks(const Declaration &declaration,
                                        const CompileRequest &request, DiagnosticEngine &diags) {
  assert(request.target && "the ranks are those of a machine");
  UserCode code{"program '" + declaration.name() + "'", request.userFile, request.userCode};
  FailureOr<Resolved> resolved = resolve(declaration, request, code, diags);
  if (failed(resolved))
    return failure();
  RankGroup group{std::move(*resolved->machine), {}};
  for (uint32_t endpoint : resolved->options.placementOnTarget)
    group.endpoints.push_back(EndpointId(endpoint));
  return group;
}
