//===- ReportCommand.h - ccl-sim --report -----------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_REPORTCOMMAND_H
#define CCL_TOOLS_CCL_SIM_REPORTCOMMAND_H

#include "cclc/Cli/Output.h"

#include "cclc/Sim/SimReport.h"

namespace cclc {

/// The runs that a page is about, simulated once more to be recorded.
struct ReportRequest {
  std::string file; ///< of the plan
  const BoundPlan &bound;
  const SimReport &summary; ///< of these runs, with a size at least
  SimOptions options;
  std::optional<std::string> baseline; ///< a plan to compare with
  std::string pageFile;                ///< share/cclc/report.html
};

/// Fails where the baseline cannot be read, is wrong or is no plan for the same, and where the
/// page is missing.
LogicalResult writeReport(const ReportRequest &request, StringRef path, Progress &progress,
                          DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_REPORTCOMMAND_H
