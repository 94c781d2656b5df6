//===- WhatIfCandidates.h - Candidates of --what-if -------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_WHATIFCANDIDATES_H
#define CCL_TOOLS_CCL_SIM_WHATIFCANDIDATES_H

#include "cclc/Sim/SweepResult.h"

namespace cclc {

/// The resources of a run, each with the override of the target that makes it free: engines,
/// launch, slots, all links, and the busiest links of \p size. Times are not yet simulated.
std::vector<WhatIf> whatIfCandidates(const BoundPlan &plan, const SizeResult &size);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_WHATIFCANDIDATES_H
