//===- SizeMemory.h - The memory that a plan needs for a size ---*- C++ -*-===//

#ifndef CCL_SIM_SIZEMEMORY_H
#define CCL_SIM_SIZEMEMORY_H

#include "cclc/Limits/PlanMemory.h"
#include "cclc/Sim/PlacedPlan.h"

namespace cclc {

/// The need of the rank that needs most, for every memory of which something is needed.
std::vector<MemoryNeed> memoryOf(const PlanOnMachine &plan, const Sizing &sizing);

/// The largest buffer of elements of \p type that fits: zero if none does, unset without a limit.
std::optional<Bytes> largestFitting(const PlacedPlan &placed, DataType type);

/// Reports memory of the machine that is too small for the size, and the largest size that fits.
LogicalResult checkMemory(const PlacedPlan &placed, const Sizing &sizing, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SIM_SIZEMEMORY_H
