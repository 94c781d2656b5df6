//===- WhatIfRuns.h - The time with a faster resource -----------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_SIMULATE_WHATIFRUNS_H
#define CCL_TOOLS_CCL_SIM_SIMULATE_WHATIFRUNS_H

#include "WhatIfCandidates.h"
#include "cclc/Tools/Cli/Output.h"

namespace cclc {

/// The time of a plan with one size on another machine, with unlimited slots if requested.
using TimeOnMachine =
    std::function<FailureOr<SimTime>(const Machine &, bool unlimitedSlots, DiagnosticEngine &)>;

struct WhatIfRequest {
  std::vector<WhatIfCandidate> candidates;
  SimTime normal; ///< the time on the unchanged machine
  unsigned jobs;
  /// Loads the machine with additional overrides, each PATH=VALUE.
  std::function<FailureOr<Machine>(ArrayRef<std::string>, DiagnosticEngine &)> load;
  TimeOnMachine time;
};

/// Simulates with one resource at a time free, twice as fast, and 10 % and 1 % faster. Resources
/// without a gain if they are free are omitted.
FailureOr<WhatIfResult> runWhatIf(WhatIfRequest request, Progress &progress,
                                  DiagnosticEngine &diags);

/// The times of \p placed with the last size of \p report, both of which must outlive the result.
TimeOnMachine timesOfLastSize(const PlacedPlan &placed, const SweepResult &report,
                              const SimOptions &options);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_SIMULATE_WHATIFRUNS_H
