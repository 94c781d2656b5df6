//===- FailureTable.cpp - One bound for each class of failures ------------===//
//
// Each class (Bound/FailureClasses.h) has the bound without its first part.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/FailureTable.h"

#include "cclc/Bound/FailureClasses.h"
#include "cclc/Sim/Network/Network.h"
#include "cclc/Target/EqualRoutes.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <optional>

using namespace cclc;
using llvm::formatv;

static FailureOr<FailureRow> rowOf(FailureClass lost, const FailureTable &table,
                                   DiagnosticEngine &diags) {
  FailureRow row{std::move(lost.parts), {}, {}};
  if (!lost.remains) {
    row.bound.throughput = SimTime::max();
    row.bound.witness = "this rank is the root";
    return row;
  }
  const FailureClass::Remains &remains = *lost.remains;
  FailureOr<Machine> machine = loadTarget(remains.target, diags);
  if (failed(machine))
    return failure();
  CollectiveBound bound({*machine, remains.endpoints, remains.collective, table.network});
  row.bound = bound.at(table.bytes);
  row.relays = bound.relays();
  return row;
}

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
  if (std::string missing = whole.noPathText(); !missing.empty()) {
    diags.error({}, formatv("{0} on target {1}: the collective has no plan", missing, machine.name))
        .as(Failure::Wrong);
    return std::nullopt;
  }
  FailureOr<std::vector<FailureClass>> failures =
      failureClasses({machine, selected->endpoints, selected->target, table.collective, without,
                      "--without", request.onStage},
                     diags);
  if (failed(failures))
    return std::nullopt;
  table.before = whole.at(table.bytes);
  // Rows with equal times stay in the order of the machine.
  std::multimap<SimTime, FailureRow, std::greater<>> byTime;
  for (FailureClass &lost : *failures) {
    FailureOr<FailureRow> row = rowOf(std::move(lost), table, diags);
    if (failed(row))
      return std::nullopt;
    SimTime time = row->bound.time();
    byTime.emplace(time, std::move(*row));
  }
  for (auto &[time, row] : byTime)
    table.rows.push_back(std::move(row));
  return table;
}
