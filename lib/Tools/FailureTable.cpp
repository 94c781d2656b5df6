//===- FailureTable.cpp - One bound for each class of failures ------------===//
//
// The machine is loaded without a part, and its routes are collected. Parts without which the
// routed graphs are renumberings of each other (Bound/ShapeClasses.h) are one class, for whose
// first part the bound is computed. Routes are compared after the failure, not before it: where a
// rule selects one of several equal routes, the parts of a symmetric machine may differ.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/FailureTable.h"

#include "cclc/Bound/ShapeClasses.h"
#include "cclc/Sim/Network/Network.h"
#include "cclc/Target/EqualRoutes.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <optional>

using namespace cclc;
using llvm::formatv;

namespace {
class FailureFinder {
public:
  FailureFinder(const SelectedRanks &selected, FailureTable &table, DiagnosticEngine &diags)
      : selected(selected), table(table), diags(diags) {}

  LogicalResult add(MachinePart part);

private:
  void addLostRoot(MachinePart part);

  const SelectedRanks &selected;
  FailureTable &table;
  DiagnosticEngine &diags;
  ShapeClasses classes;
  std::vector<size_t> rowOf; ///< by class
};

void FailureFinder::addLostRoot(MachinePart part) {
  FailureRow row{{std::move(part.name)}, {}, {}};
  row.bound.throughput = SimTime::max();
  row.bound.witness = "this rank is the root";
  table.rows.push_back(std::move(row));
}

LogicalResult FailureFinder::add(MachinePart part) {
  std::vector<EndpointId> endpoints = selected.endpoints;
  RankId root = table.collective.root();
  if (part.rank) {
    if (table.collective.isRooted() && *part.rank == root.index()) {
      addLostRoot(std::move(part));
      return success();
    }
    endpoints.erase(endpoints.begin() + *part.rank);
    if (*part.rank < root.index())
      root = RankId(root.index() - 1);
  }
  FailureOr<Machine> machine =
      loadTarget(requestWithout(selected.machine, selected.target, part.links), diags);
  if (failed(machine))
    return failure();
  const Collective collective(table.collective.kind(), endpoints.size(), 1, root);
  uint32_t number =
      classes.classOf(*machine, endpoints, FlowGraph::create(*machine, endpoints), collective);
  if (number < rowOf.size()) {
    table.rows[rowOf[number]].parts.push_back(std::move(part.name));
    return success();
  }
  CollectiveBound bound({*machine, endpoints, collective, table.network});
  rowOf.push_back(table.rows.size());
  table.rows.push_back({{std::move(part.name)}, bound.at(table.bytes), bound.relays()});
  return success();
}

/// Reports that there is no part, or no plan with all of them.
LogicalResult check(const std::string &target, PartKind without, const CollectiveBound &bound,
                    size_t parts, DiagnosticEngine &diags) {
  if (std::string missing = bound.noPathText(); !missing.empty())
    return diags
        .error({}, formatv("{0} on target {1}: the collective has no plan", missing, target))
        .as(Failure::Wrong);
  if (without == PartKind::Rank && parts < 2)
    return diags.error({}, "--without rank needs at least 2 ranks: give more by --ranks or "
                           "--endpoints");
  if (parts > 0)
    return success();
  if (without == PartKind::Nic)
    return diags.error({}, formatv("target {0} has no NIC, which is a node without a rank that is "
                                   "named nic0, node0.nic1 and so on; --without link removes links",
                                   target));
  return diags.error({}, formatv("target {0} has no links", target));
}
} // namespace

std::optional<FailureTable> cclc::boundFailures(const BoundTableRequest &request, PartKind without,
                                                DiagnosticEngine &diags) {
  FailureOr<SelectedRanks> selected = selectRanks(request.ranks, diags);
  if (failed(selected))
    return std::nullopt;
  const Machine &machine = selected->machine;
  const uint32_t ranks = selected->endpoints.size();
  if (failed(checkRoot(request.root, ranks, diags)))
    return std::nullopt;
  Collective collective(request.collective, ranks, 1, RankId(request.root));
  FailureTable table{machine.stamp.title(),
                     request.network.value_or(machine.network),
                     collective,
                     without,
                     request.ranks.relays,
                     Bytes(request.sizes.front()),
                     {},
                     {}};
  if (failed(checkNetwork(table.network, diags)))
    return std::nullopt;
  warnOfEqualRoutes(machine, selected->endpoints, diags);
  CollectiveBound whole({machine, selected->endpoints, collective, table.network});
  std::vector<MachinePart> parts = partsOf(machine, without, selected->endpoints);
  if (failed(check(machine.name, without, whole, parts.size(), diags)))
    return std::nullopt;
  table.before = whole.at(table.bytes);
  FailureFinder finder(*selected, table, diags);
  for (size_t p = 0; p < parts.size(); ++p) {
    if (request.onStage)
      request.onStage(
          formatv("{0} {1} of {2}", partNames[size_t(without)], p + 1, parts.size()).str());
    if (failed(finder.add(std::move(parts[p]))))
      return std::nullopt;
  }
  // Rows with equal times stay in the order of the machine.
  std::multimap<SimTime, FailureRow, std::greater<>> byTime;
  for (FailureRow &row : table.rows) {
    SimTime time = row.bound.time();
    byTime.emplace(time, std::move(row));
  }
  table.rows.clear();
  for (auto &[time, row] : byTime)
    table.rows.push_back(std::move(row));
  return table;
}
