//===- HostOrder.cpp - The order of the hosts of a fabric -----------------===//
//
// A ring crosses the uplinks of a rack twice if its hosts follow each other, and more often
// otherwise. The bound of a ring is that of messages from every rank to the next one, by the
// lengths of paths: no routing of these messages takes less. An all-to-all has the same messages in
// every order.
//
//===----------------------------------------------------------------------===//

#include "HostOrder.h"

#include "cclc/Bound/LinkBound.h"
#include "cclc/Support/Decimal.h"
#include "cclc/Target/Loader.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// Visits of arcs: some seconds on a fabric of a thousand hosts.
constexpr uint64_t budget = uint64_t(1) << 24;
constexpr Bytes buffer(uint64_t(1) << 30);

struct OrderBounds {
  SimTime ring, allToAll;
};

/// The bounds for an all-gather over a ring, and an all-to-all, of 1 GiB.
FailureOr<OrderBounds> boundsOf(const std::string &target, DiagnosticEngine &diags) {
  FailureOr<Machine> machine = loadTargetText(target, "imported", diags);
  if (failed(machine))
    return failure();
  const uint32_t ranks = machine->numEndpoints();
  std::vector<EndpointId> endpoints;
  std::vector<PathDemand> demands;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    endpoints.emplace_back(rank);
    if (ranks > 1)
      demands.push_back({rank, ranks - 1, {(rank + 1) % ranks}});
  }
  const FlowGraph graph = FlowGraph::create(*machine, endpoints);
  const LinkBound allToAll =
      findLinkBound(graph, Collective(CollectiveKind::AllToAll, ranks, 1), &*machine, endpoints,
                    LinkBudget{budget, budget, budget});
  return OrderBounds{findPathBound(graph, demands, budget).time(buffer, ranks),
                     allToAll.time(buffer)};
}

std::string microseconds(SimTime time) { return thousandths(time.picoseconds() / 1000) + " us"; }
} // namespace

FailureOr<std::string> cclc::importInBestOrder(const ForeignFile &file, ImportOptions options,
                                               DiagnosticEngine &diags) {
  DiagnosticEngine again;
  FailureOr<std::string> given = importMachine(file, options, diags);
  options.byRack = true;
  FailureOr<std::string> sorted = failed(given) ? given : importMachine(file, options, again);
  if (failed(sorted)) {
    if (succeeded(given))
      diags.append(std::move(again));
    return failure();
  }
  FailureOr<OrderBounds> first = boundsOf(*given, diags);
  FailureOr<OrderBounds> second = failed(first) ? first : boundsOf(*sorted, again);
  if (failed(first) || failed(second))
    return failure();
  bool isBetter = second->ring < first->ring;
  diags.note({file.name},
             formatv("the order {0} is used: a ring all-gather of 1 GiB takes at least {1} in the "
                     "order given and {2} by rack, and an all-to-all {3} in every order",
                     isBetter ? "by rack" : "given", microseconds(first->ring),
                     microseconds(second->ring), microseconds(first->allToAll)));
  return isBetter ? sorted : given;
}
