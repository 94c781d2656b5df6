//===- PlanOption.h - Parsing --plan ----------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_PLANOPTION_H
#define CCL_TOOLS_CCL_SIM_PLANOPTION_H

#include "SimArguments.h"

#include "cclc/Support/Diagnostics.h"
#include "cclc/Support/Units.h"

namespace cclc {

/// One of the plans that run at once: FILE@START_SECONDS[:FIRST_RANK].
struct PlanOption {
  std::string file, title; ///< title: the whole value
  SimTime start;
  uint32_t firstRank = 0; ///< added to the endpoints of its ranks
  Bytes bytes;
};

/// Parses the values of --plan and the sizes of --bytes, one for all plans or one for each. The
/// result is sorted by start, first rank, file and size, so that nothing depends on the order of
/// the options. Reports options that do not combine with --plan.
FailureOr<std::vector<PlanOption>> parsePlanOptions(const SimArguments &args,
                                                    DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_PLANOPTION_H
