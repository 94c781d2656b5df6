//===- EndpointGroup.cpp - The geometry of a group of endpoints -----------===//
//
// Endpoints are numbered by levels, the innermost fastest, so that a whole member of a level is a
// block of consecutive endpoints which begins at a multiple of its size.
//
//===----------------------------------------------------------------------===//

#include "EndpointGroup.h"

#include "cclc/Compiler/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

LogicalResult cclc::checkGroup(const dsl::Declaration &declaration, const CompileRequest &request,
                               DiagnosticEngine &diags) {
  if (!request.target)
    return diags.error({}, "--endpoints requires --target, the machine of the endpoints");
  if (request.ranks && *request.ranks != request.endpoints.size())
    return diags.error({}, formatv("--endpoints lists {0} endpoints, but --ranks is {1}",
                                   request.endpoints.size(), *request.ranks));
  if (request.placement.value_or(RankPlacement::Linear) != RankPlacement::Linear)
    return diags.error({}, formatv("--endpoints selects the endpoint of each rank and excludes "
                                   "--placement={0}",
                                   rankPlacementName(*request.placement)));
  if (llvm::any_of(request.parameters, [](const auto &given) { return given.first == "mapper"; }))
    return diags.error({}, "--endpoints and the parameter 'mapper' exclude each other, since both "
                           "select the participating PEs");
  if (!declaration.fixesMapper())
    return success();
  Layout layout = layoutOf(declaration.mapper());
  return diags.error({}, formatv("program '{0}' needs layout {1}, {2}: --endpoints cannot select "
                                 "its ranks",
                                 declaration.name(), layout.name, layout.meaning));
}

/// Whether \p endpoints are whole blocks of \p size.
static bool areBlocks(ArrayRef<uint32_t> endpoints, uint64_t size) {
  if (endpoints.size() % size != 0)
    return false;
  for (size_t i = 0; i < endpoints.size(); ++i) {
    bool begins = i % size == 0;
    if (begins ? endpoints[i] % size != 0 : endpoints[i] != endpoints[i - 1] + 1)
      return false;
  }
  return true;
}

/// The number of consecutive endpoints in each node, if it is the same for all nodes; else 0.
static size_t ofEachNode(ArrayRef<uint32_t> endpoints, uint64_t nodeSize) {
  size_t first = 0, begin = 0;
  for (size_t i = 1; i <= endpoints.size(); ++i) {
    if (i < endpoints.size() && endpoints[i] / nodeSize == endpoints[begin] / nodeSize)
      continue;
    if (first > 0 && i - begin != first)
      return 0;
    first = i - begin;
    begin = i;
  }
  return first;
}

static Geometry arrangement(const Geometry &machine, ArrayRef<uint32_t> endpoints) {
  ArrayRef<GridLevel> levels = machine.levels;
  uint32_t count = endpoints.size();
  uint64_t size = machine.ranks(), nodeSize = 0;
  for (size_t level = 0; level < levels.size(); ++level) {
    if (areBlocks(endpoints, size)) {
      Geometry geometry;
      if (count > size)
        geometry.levels.push_back(
            {levels[level - 1].name, GridKind::Flat, uint32_t(count / size), 1});
      geometry.levels.insert(geometry.levels.end(), levels.begin() + level, levels.end());
      return geometry;
    }
    size /= levels[level].size();
    if (level == 0)
      nodeSize = size;
  }
  size_t each = levels.size() > 1 ? ofEachNode(endpoints, nodeSize) : 0;
  if (each > 1 && each < count)
    return {{{levels.front().name, GridKind::Flat, uint32_t(count / each), 1},
             {"rank", GridKind::Flat, uint32_t(each), 1}}};
  return {{{"rank", GridKind::Flat, count, 1}}};
}

FailureOr<Machine::Selection>
cclc::selectGroup(const Machine &machine, ArrayRef<uint32_t> endpoints, DiagnosticEngine &diags) {
  for (uint32_t endpoint : endpoints)
    if (endpoint >= machine.numEndpoints())
      return diags.error({}, formatv("endpoint {0} is out of range: target {1} has {2} endpoints",
                                     endpoint, machine.name, machine.numEndpoints()));
  return Machine::Selection{arrangement(machine.geometry(), endpoints), endpoints.vec()};
}
