//===- WhatIfCandidates.h - Candidates of --what-if -------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_SIMULATE_WHATIFCANDIDATES_H
#define CCL_TOOLS_CCL_SIM_SIMULATE_WHATIFCANDIDATES_H

#include "cclc/Sim/SweepResult.h"

#include <functional>

namespace cclc {

/// A resource of a run.
struct WhatIfCandidate {
  /// The name of the resource and the settings of the target that make it free; empty for unlimited
  /// slots.
  WhatIf row;
  /// The settings that make it \p percent % as fast; empty if it can only be used or not.
  std::function<std::vector<std::string>(uint32_t percent)> faster;
  /// Whether it is one of several links, classes of links or engines, rather than all links.
  bool isSingle = true;
};

/// Engines, launch, slots, all links, the links of each rate, and the busiest links of \p size.
/// Times are not yet simulated.
std::vector<WhatIfCandidate> whatIfCandidates(const PlacedPlan &plan, const SizeResult &size);

/// The costs of the executor of MSCCL++, and links as above. \p machine has such costs.
std::vector<WhatIfCandidate> whatIfCandidatesOfMscclpp(const Machine &machine,
                                                       const SizeResult &size);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_SIMULATE_WHATIFCANDIDATES_H
