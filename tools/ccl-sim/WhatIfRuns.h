//===- WhatIfRuns.h - The time with a faster resource -----------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_WHATIFRUNS_H
#define CCL_TOOLS_CCL_SIM_WHATIFRUNS_H

#include "cclc/Cli/Output.h"

#include "cclc/Sim/SweepResult.h"

namespace cclc {

struct WhatIfRequest {
  const BoundPlan &bound;
  const SweepResult &report; ///< the report whose last size is simulated again
  SimOptions options;
  unsigned jobs;
  /// Loads the machine with additional overrides, each PATH=VALUE.
  std::function<FailureOr<Machine>(ArrayRef<std::string>, DiagnosticEngine &)> load;
};

/// Simulates the last size with one resource at a time free, twice as fast, and 1 % faster.
/// Resources without a gain are omitted.
FailureOr<WhatIfResult> runWhatIf(const WhatIfRequest &request, Progress &progress,
                                  DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_WHATIFRUNS_H
