//===- ConcurrentPlans.h - Several plans at once ----------------*- C++ -*-===//
//
// One simulation of several plans on one machine, such as a gradient reduction beside the traffic
// of an expert layer. Each plan has its own threadblocks, connections, slots and data, and a time
// of its launch. The plans share the links and, where they have ranks on the same endpoint, the
// engines of its PE (docs/machine-model.md, rules 49 to 51).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_CONCURRENTPLANS_H
#define CCL_SIM_CONCURRENTPLANS_H

#include "cclc/Sim/Engine.h"

namespace cclc {

/// One of several plans that are placed on the same machine.
struct ConcurrentPlan {
  const PlacedPlan &placed;
  const Sizing &sizing;
  SimTime start; ///< of its launch
  /// Its listeners receive the events of this plan only, with their absolute times, without
  /// linkBusy(). Ranks of several plans on the same endpoint must have the same skew.
  SimOptions options = {};
};

struct ConcurrentResult {
  /// By plan, with times relative to the start of the plan, and without links.
  std::vector<SimResult> plans;
  SimTime end;                ///< of the last plan, absolute
  std::vector<LinkUse> links; ///< of all plans together
};

/// Simulates the plans, at least one, on the network model \p network, which must exist.
/// Simultaneous events of different plans are executed in the order of \p plans. \p onProgress is
/// called periodically with the number of executed steps of all plans.
ConcurrentResult simulateConcurrently(ArrayRef<ConcurrentPlan> plans, StringRef network,
                                      const std::function<void(uint64_t)> &onProgress = {});

} // namespace cclc

#endif // CCL_SIM_CONCURRENTPLANS_H
