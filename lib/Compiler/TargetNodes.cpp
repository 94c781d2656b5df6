//===- TargetNodes.cpp - Mapping nodes of a program to nodes of a target --===//
//
// The shape of a target is found by loading it twice: for one rank, which gives the size of a node,
// and for the ranks that the request needs. Nodes of the program are spread over those of the
// target, so that as few as possible share one.
//
//===----------------------------------------------------------------------===//

#include "TargetNodes.h"

#include "EndpointGroup.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// The shape of a group of endpoints: as many nodes as its geometry has, or one.
FailureOr<std::optional<NodeShape>>
nodeShapeOfGroup(TargetRequest target, ArrayRef<uint32_t> endpoints, DiagnosticEngine &diags) {
  target.ranks = roomOf(endpoints);
  FailureOr<Machine> machine = loadTarget(target, diags);
  if (failed(machine))
    return failure();
  FailureOr<Machine::Selection> group = selectGroup(*machine, endpoints, diags);
  if (failed(group))
    return failure();
  uint32_t nodes = group->geometry.isFlat() ? 1 : group->geometry.levels.front().size();
  return std::optional(NodeShape{nodes, uint32_t(endpoints.size() / nodes)});
}

/// The shape of a target. A scalable target has the number of nodes that \p ranks need, with
/// \p ranksPerNode ranks per node if they fit, or else \p nodes nodes. Empty if the target does not
/// determine a shape.
FailureOr<std::optional<NodeShape>> nodeShapeOf(TargetRequest target, Mapper mapper,
                                                std::optional<uint32_t> ranks,
                                                std::optional<uint32_t> ranksPerNode,
                                                uint32_t nodes, DiagnosticEngine &diags) {
  target.ranks = 1; // to get the size of one node
  FailureOr<Machine> small = loadTarget(target, diags);
  if (failed(small))
    return failure();
  if (small->geometry().levels.size() < 2) {
    // One node, unless the target scales to any number of ranks.
    uint32_t all = small->numEndpoints();
    return all == 1 ? std::nullopt : std::optional(NodeShape{1, all});
  }
  uint32_t places = small->numEndpoints() / small->geometry().levels.front().size();
  Geometry taking = small->select(mapper).geometry;
  uint32_t perNode = taking.ranks() / taking.levels.front().size();
  uint64_t room =
      uint64_t(places) *
      (ranks ? ceilDiv(*ranks, std::min(perNode, ranksPerNode.value_or(perNode))) : nodes);
  target.ranks = std::min<uint64_t>(room, ~uint32_t(0));
  FailureOr<Machine> machine = loadTarget(target, diags);
  if (failed(machine))
    return failure();
  return std::optional(NodeShape{machine->geometry().levels.front().size(), perNode});
}
} // namespace

LogicalResult cclc::adoptNodes(const dsl::Declaration &declaration, const CompileRequest &request,
                               Mapper mapper,
                               std::vector<std::pair<std::string, std::string>> &values,
                               DiagnosticEngine &diags) {
  auto find = [&](StringRef name) {
    return llvm::find_if(values, [&](const auto &value) { return value.first == name; });
  };
  uint32_t nodes;
  if (!request.target || !declaration.ranksFrom() || find("nodes") == values.end() ||
      find("ranks_per_node") == values.end() ||
      StringRef(find("nodes")->second).getAsInteger(10, nodes))
    return success();
  auto isGiven = [&](StringRef name) {
    return llvm::any_of(request.parameters, [&](const auto &given) { return given.first == name; });
  };
  std::optional<uint32_t> perNode;
  if (uint32_t given; isGiven("ranks_per_node") &&
                      !StringRef(find("ranks_per_node")->second).getAsInteger(10, given))
    perNode = std::max(given, 1u);
  auto shape = request.endpoints.empty()
                   ? nodeShapeOf(*request.target, mapper, request.ranks, perNode, nodes, diags)
                   : nodeShapeOfGroup(*request.target, request.endpoints, diags);
  if (failed(shape) || !*shape)
    return failed(shape) ? failure() : success();
  for (auto [name, number] :
       {std::pair("nodes", (*shape)->nodes), std::pair("ranks_per_node", (*shape)->ranksPerNode)}) {
    if (isGiven(name))
      continue;
    const dsl::ParamSpec &spec = *llvm::find_if(
        declaration.params(), [&](const dsl::ParamSpec &spec) { return spec.name == name; });
    std::string value = std::to_string(number);
    if (!spec.accept(value))
      return diags.error({}, formatv("parameter '{0}' takes {1}, not '{2}' as on target {3}", name,
                                     spec.domain(), value, request.target->nameOrFile));
    find(name)->second = value;
  }
  return success();
}

std::optional<NodeShape>
cclc::nodesOfProgram(const dsl::Declaration &declaration,
                     const std::vector<std::pair<std::string, std::string>> &values,
                     uint32_t ranks) {
  auto read = [&](StringRef name) {
    uint32_t number = 0;
    for (const auto &[key, value] : values)
      if (key == name && StringRef(value).getAsInteger(10, number))
        number = 0;
    return number;
  };
  NodeShape shape{read("nodes"), read("ranks_per_node")};
  if (!declaration.ranksFrom() || uint64_t(shape.nodes) * shape.ranksPerNode != ranks)
    return std::nullopt;
  return shape;
}

/// The members of the outermost level, and the places in each; one node for a flat target.
static NodeShape shapeOf(const Machine::Selection &places) {
  ArrayRef<GridLevel> levels = places.geometry.levels;
  uint32_t nodes = levels.size() < 2 ? 1 : levels.front().size();
  return {nodes, uint32_t(places.endpoints.size() / nodes)};
}

bool cclc::keepNodes(const NodeShape &shape, Machine::Selection &places) {
  NodeShape of = shapeOf(places);
  uint32_t together = ceilDiv(shape.nodes, of.nodes);
  if (places.geometry.levels.size() < 2 || together * shape.ranksPerNode > of.ranksPerNode)
    return false;
  std::vector<uint32_t> chosen;
  for (uint32_t node = 0; node < shape.nodes; ++node) {
    const uint32_t *first = places.endpoints.data() + size_t(node / together) * of.ranksPerNode +
                            size_t(node % together) * shape.ranksPerNode;
    chosen.insert(chosen.end(), first, first + shape.ranksPerNode);
  }
  if (ArrayRef(chosen) == ArrayRef(places.endpoints).take_front(chosen.size()))
    return false;
  places.endpoints = std::move(chosen);
  const std::string outer = places.geometry.levels.front().name;
  places.geometry = {
      {{outer, GridKind::Flat, shape.nodes, 1}, {"rank", GridKind::Flat, shape.ranksPerNode, 1}}};
  return true;
}

void cclc::warnOfNodes(const dsl::Declaration &declaration, const NodeShape &shape,
                       const Machine::Selection &whole, const std::string &target,
                       DiagnosticEngine &diags) {
  NodeShape of = shapeOf(whole);
  if (whole.geometry.levels.size() < 2 ||
      (shape.ranksPerNode <= of.ranksPerNode && shape.nodes <= of.nodes))
    return;
  auto plural = [](uint32_t n, const char *what) {
    return formatv("{0} {1}{2}", n, what, n == 1 ? "" : "s").str();
  };
  diags.warning({},
                formatv("program '{0}' has {1} of {2}, but target {3} has {4} of {5}: {6}",
                        declaration.name(), plural(shape.nodes, "node"),
                        plural(shape.ranksPerNode, "rank"), target, plural(of.nodes, "node"),
                        plural(of.ranksPerNode, "PE"),
                        shape.ranksPerNode > of.ranksPerNode ? "its nodes span several of them"
                                                             : "several of its nodes share one"));
}

void cclc::warnOfUnused(const dsl::Declaration &declaration, uint32_t ranks, size_t places,
                        const std::string &target, DiagnosticEngine &diags) {
  std::string advice = declaration.ranksFrom()
                           ? "its parameters determine the number of ranks"
                           : formatv("--ranks {0} uses all of them", places).str();
  diags.warning({}, formatv("program '{0}' uses {1} of the {2} PEs of target {3}; {4}",
                            declaration.name(), ranks, places, target, advice));
}
