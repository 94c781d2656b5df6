//===- FailureClasses.cpp - The machine without each of its parts ---------===//
//
// A class has the request of its machine rather than the machine, which may be one of many.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/FailureClasses.h"

#include "cclc/Bound/ShapeClasses.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
class FailureFinder {
public:
  FailureFinder(const FailureRequest &request, DiagnosticEngine &diags)
      : request(request), diags(diags) {}

  LogicalResult add(MachinePart part);
  std::vector<FailureClass> take() { return std::move(found); }

private:
  const FailureRequest &request;
  DiagnosticEngine &diags;
  ShapeClasses shapes;
  std::vector<size_t> indices; ///< in \c found, by shape
  std::vector<FailureClass> found;
};

LogicalResult FailureFinder::add(MachinePart part) {
  std::vector<EndpointId> endpoints = request.endpoints.vec();
  const Collective &whole = request.collective;
  RankId root = whole.root();
  if (part.rank) {
    if (whole.isRooted() && *part.rank == root.index()) {
      found.push_back({{std::move(part.name)}, std::nullopt});
      return success();
    }
    endpoints.erase(endpoints.begin() + *part.rank);
    if (*part.rank < root.index())
      root = RankId(root.index() - 1);
  }
  TargetRequest target = requestWithout(request.machine, request.target, part.links);
  FailureOr<Machine> machine = loadTarget(target, diags);
  if (failed(machine))
    return failure();
  const Collective collective(whole.kind(), endpoints.size(), 1, root);
  const uint32_t shape =
      shapes.classOf(*machine, endpoints, FlowGraph::create(*machine, endpoints), collective);
  if (shape < indices.size()) {
    found[indices[shape]].parts.push_back(std::move(part.name));
    return success();
  }
  indices.push_back(found.size());
  found.push_back({{std::move(part.name)},
                   FailureClass::Remains{std::move(target), std::move(endpoints), collective}});
  return success();
}

/// Reports that there is nothing to lose.
LogicalResult check(const FailureRequest &request, size_t parts, DiagnosticEngine &diags) {
  if (request.part == PartKind::Rank && parts < 2)
    return diags.error({}, formatv("{0} rank needs at least 2 ranks: give more by --ranks or "
                                   "--endpoints",
                                   request.option));
  if (parts > 0)
    return success();
  if (request.part == PartKind::Nic)
    return diags.error({}, formatv("target {0} has no NIC, which is a node without a rank that is "
                                   "named nic0, node0.nic1 and so on; {1} link removes links",
                                   request.machine.name, request.option));
  return diags.error({}, formatv("target {0} has no links", request.machine.name));
}
} // namespace

LogicalResult cclc::checkParts(const FailureRequest &request, DiagnosticEngine &diags) {
  return check(request, partsOf(request.machine, request.part, request.endpoints).size(), diags);
}

FailureOr<std::vector<FailureClass>> cclc::failureClasses(const FailureRequest &request,
                                                          DiagnosticEngine &diags) {
  std::vector<MachinePart> parts = partsOf(request.machine, request.part, request.endpoints);
  if (failed(check(request, parts.size(), diags)))
    return failure();
  FailureFinder finder(request, diags);
  for (size_t p = 0; p < parts.size(); ++p) {
    if (request.onStage)
      request.onStage(
          formatv("{0} {1} of {2}", partNames[size_t(request.part)], p + 1, parts.size()).str());
    if (failed(finder.add(std::move(parts[p]))))
      return failure();
  }
  return finder.take();
}
