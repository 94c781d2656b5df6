//===- WhatIfRuns.h - The time if something cost nothing --------*- C++ -*-===//

#ifndef CCL_LIB_DRIVER_WHATIFRUNS_H
#define CCL_LIB_DRIVER_WHATIFRUNS_H

#include "Output.h"

#include "cclc/Sim/Report.h"

namespace cclc {

struct WhatIfRequest {
  const BoundPlan &bound;
  const SimReport &report; ///< whose last size is run again
  SimOptions options;
  unsigned jobs;
  /// The machine with one more override of the target.
  std::function<FailureOr<Machine>(StringRef, DiagnosticEngine &)> load;
};

/// The last size again, with one thing after the other that costs nothing; what gains
/// most first, and nothing that gains nothing.
FailureOr<std::vector<WhatIf>> runWhatIf(const WhatIfRequest &request, Progress &progress,
                                         DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_DRIVER_WHATIFRUNS_H
