//===- Refit.h - A target fitted to measured plans --------------*- C++ -*-===//
//
// A calibration measures single costs. Plans have them in other mixtures, so the values of a target
// are fitted once more, to the times of plans themselves: each prediction is a simulation.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_RUN_REFIT_H
#define CCL_TOOLS_CCL_RUN_REFIT_H

#include "RunArguments.h"

namespace cclc {

/// Fits the target of --predict to the times of --from, writes it to -o, and prints how far its
/// predictions were from the times before and after, also of plans that were left out of the fit.
LogicalResult refit(const RunArguments &args, const std::string &targetDir, Progress &progress,
                    DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_RUN_REFIT_H
