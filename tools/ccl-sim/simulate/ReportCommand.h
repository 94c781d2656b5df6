//===- ReportCommand.h - ccl-sim --report -----------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_SIMULATE_REPORTCOMMAND_H
#define CCL_TOOLS_CCL_SIM_SIMULATE_REPORTCOMMAND_H

#include "cclc/Tools/Cli/Output.h"

#include "cclc/Sim/PlanBound.h"
#include "cclc/Sim/Simulator.h"
#include "cclc/Sim/SweepResult.h"

namespace cclc {

/// The runs of a page, which are simulated again to be recorded.
struct ReportRequest {
  std::string file; ///< the file of the plan
  Simulator &simulator;
  const SweepResult &summary;                ///< of these runs, with at least one size
  std::optional<std::string> baseline;       ///< a plan file to compare with, in any form
  std::optional<std::string> measured;       ///< a trace of ccl-run to show beside the simulation
  std::string pageFile;                      ///< share/cclc/report.html
  BoundEffort effort = BoundEffort::Limited; ///< of the bounds of the baseline
};

/// Fails if the baseline cannot be read, is wrong or is not comparable, or if the page is missing.
LogicalResult writeReport(const ReportRequest &request, StringRef path, Progress &progress,
                          DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_SIMULATE_REPORTCOMMAND_H
