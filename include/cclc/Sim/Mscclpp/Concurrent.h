//===- Concurrent.h - Several MSCCL++ plans at once -------------*- C++ -*-===//
//
// One simulation of several launches on one machine, whose data share the links. Each plan has
// threadblocks, signals and proxies of its own (docs/machine-model.md, rule M11).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_MSCCLPP_CONCURRENT_H
#define CCL_SIM_MSCCLPP_CONCURRENT_H

#include "cclc/Sim/ConcurrentPlans.h"
#include "cclc/Sim/Mscclpp/Simulate.h"

namespace cclc::mscclpp {

/// One of several plans on the same machine; as for simulate().
struct ConcurrentPlan {
  const PlacedPlan &placed;
  const SizedPlan &sized;
  SimTime start; ///< of its launch
  RunOptions options = {};
};

/// Simulates the plans, at least one, on the network model \p network, which must exist.
/// Simultaneous events of different plans are executed in the order of \p plans.
ConcurrentResult simulateConcurrently(ArrayRef<ConcurrentPlan> plans, StringRef network);

/// Reports an endpoint whose plans have too many threadblocks together, because all must be
/// resident, and warns of one whose plans use the same counter of a barrier, because the executor
/// has one set of counters on a GPU. \p titles are the names of the plans.
LogicalResult checkSharedEndpoints(ArrayRef<const PlacedPlan *> plans, ArrayRef<std::string> titles,
                                   DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_SIM_MSCCLPP_CONCURRENT_H
