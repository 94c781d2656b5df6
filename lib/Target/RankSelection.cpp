//===- RankSelection.cpp - The endpoints of ranks -------------------------===//
//
// A scalable machine is loaded with as many endpoints as there are ranks, and again with more if
// the mapper leaves some of them unused, or without the links of endpoints that are not to relay.
//
//===----------------------------------------------------------------------===//

#include "cclc/Target/RankSelection.h"

#include "cclc/Target/MachineParts.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

static FailureOr<Machine> load(TargetRequest request, std::optional<uint32_t> ranks,
                               DiagnosticEngine &diags) {
  request.ranks = ranks;
  return loadTarget(request, diags);
}

/// Turns off the links of endpoints without a rank.
static LogicalResult isolateOthers(SelectedRanks &selected, DiagnosticEngine &diags) {
  const Machine &machine = selected.machine;
  llvm::BitVector hasRank(machine.numEndpoints());
  for (EndpointId endpoint : selected.endpoints)
    hasRank.set(endpoint.index());
  std::vector<NodeId> others;
  for (uint32_t e = 0; e < machine.numEndpoints(); ++e)
    if (!hasRank[e])
      others.push_back(machine.endpointNode(EndpointId(e)));
  std::vector<LinkId> off = linksAt(machine, others);
  if (off.empty())
    return success();
  selected.target = requestWithout(machine, selected.target, off);
  FailureOr<Machine> isolated = loadTarget(selected.target, diags);
  if (failed(isolated))
    return failure();
  isolated->stamp = machine.stamp;
  isolated->stamp.settings.push_back("relay=ranks"); // in place of one for each link
  selected.machine = std::move(*isolated);
  return success();
}

static FailureOr<SelectedRanks> onMachine(Machine machine, ArrayRef<uint32_t> numbers,
                                          const RankRequest &request, DiagnosticEngine &diags) {
  SelectedRanks selected{std::move(machine), {}, request.target};
  selected.target.ranks = selected.machine.numEndpoints();
  for (uint32_t number : numbers)
    selected.endpoints.push_back(EndpointId(number));
  if (!request.relays && failed(isolateOthers(selected, diags)))
    return failure();
  return selected;
}

LogicalResult cclc::checkMapper(const Machine &machine, Mapper mapper, DiagnosticEngine &diags) {
  if (mapper == Mapper::AllPes || machine.geometry().levels.size() > 1)
    return success();
  return diags.error({}, formatv("--mapper {0} has no effect: target {1} has one level, and {0} "
                                 "selects all {2} endpoints; select some with --endpoints",
                                 mapperName(mapper).data(), machine.name, machine.numEndpoints()));
}

FailureOr<SelectedRanks> cclc::selectRanks(const RankRequest &request, DiagnosticEngine &diags) {
  if (!request.endpoints.empty()) {
    uint32_t last = *std::max_element(request.endpoints.begin(), request.endpoints.end());
    FailureOr<Machine> machine = load(request.target, last + 1, diags);
    if (failed(machine))
      return failure();
    if (last >= machine->numEndpoints())
      return diags.error({}, formatv("endpoint {0} is out of range: target {1} has {2} endpoints",
                                     last, machine->name, machine->numEndpoints()));
    return onMachine(std::move(*machine), request.endpoints, request, diags);
  }
  std::optional<uint32_t> ranks = request.ranks;
  FailureOr<Machine> machine = load(request.target, ranks, diags);
  if (failed(machine) || failed(checkMapper(*machine, request.mapper, diags)))
    return failure();
  std::vector<uint32_t> selected = machine->select(request.mapper).endpoints;
  if (ranks && *ranks > selected.size()) {
    machine =
        load(request.target,
             uint32_t(ceilDiv(uint64_t(*ranks) * machine->numEndpoints(), selected.size())), diags);
    if (failed(machine))
      return failure();
    selected = machine->select(request.mapper).endpoints;
  }
  if (ranks && *ranks > selected.size())
    return diags.error({}, formatv("{0} ranks are requested, but target {1} has room for {2} "
                                   "(mapper {3})",
                                   *ranks, machine->name, selected.size(),
                                   mapperName(request.mapper).data()));
  selected.resize(ranks.value_or(selected.size()));
  return onMachine(std::move(*machine), selected, request, diags);
}
