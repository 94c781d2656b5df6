//===- PlanBound.h - The bounds of a plan's collective ----------*- C++ -*-===//

#ifndef CCL_SIM_PLANBOUND_H
#define CCL_SIM_PLANBOUND_H

#include "cclc/Bound/CollectiveBound.h"
#include "cclc/Sim/PlacedPlan.h"

namespace cclc {

/// The request of all bounds for the collective of a plan on its endpoints. Another executor than
/// that of steps is limited by links only.
BoundRequest boundRequestOf(const PlanOnMachine &plan, StringRef network);

/// The effort of the search for cuts.
enum class BoundEffort : uint8_t {
  Limited, ///< less time than a simulation: on large machines, the cut may not be the tightest
  Full     ///< that of ccl-bound
};

/// These bounds, computed once for all sizes.
class PlanBound {
public:
  /// With \p repeat runs, times are averages of a run, for which latencies are no bound.
  PlanBound(const PlanOnMachine &plan, StringRef network, uint32_t repeat, BoundEffort effort);

  /// Unset if nothing limits the collective.
  std::optional<SizeBound> of(const Sizing &sizing) const;

private:
  CollectiveBound bounds;
  bool once;
};

} // namespace cclc

#endif // CCL_SIM_PLANBOUND_H
