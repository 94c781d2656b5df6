//===- PlanBound.h - The bounds of a plan's collective ----------*- C++ -*-===//

#ifndef CCL_SIM_PLANBOUND_H
#define CCL_SIM_PLANBOUND_H

#include "cclc/Bound/CollectiveBound.h"
#include "cclc/Sim/BoundPlan.h"

namespace cclc {

/// Bounds for the collective of a plan on its endpoints, computed once for all sizes. The search
/// for cuts is limited, so that it takes less time than a simulation; on large machines and for
/// all-to-all, ccl-bound may find a tighter cut.
class PlanBound {
public:
  /// With \p repeat runs, times are averages of a run, for which latencies are no bound. Another
  /// executor than that of steps is limited by links only.
  PlanBound(const BoundPlan &plan, StringRef network, uint32_t repeat, bool linksOnly = false);

  /// Unset if nothing limits the collective.
  std::optional<SizeBound> of(const Sizing &sizing) const;

private:
  CollectiveBound bounds;
  bool once;
};

} // namespace cclc

#endif // CCL_SIM_PLANBOUND_H
