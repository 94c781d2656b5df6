//===- WhatIfCandidates.h - What --what-if tries ----------------*- C++ -*-===//

#ifndef CCL_LIB_DRIVER_WHATIFCANDIDATES_H
#define CCL_LIB_DRIVER_WHATIFCANDIDATES_H

#include "cclc/Sim/Report.h"

namespace cclc {

/// Everything that a run may spend its time on, each with the override of the target
/// that makes it cost nothing: engines, launch, slots, all links, and those links of
/// \p size that were busiest. Times are still to be simulated.
std::vector<WhatIf> whatIfCandidates(const BoundPlan &plan, const SizeReport &size);

} // namespace cclc

#endif // CCL_LIB_DRIVER_WHATIFCANDIDATES_H
