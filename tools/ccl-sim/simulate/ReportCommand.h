//===- ReportCommand.h - ccl-sim --report -----------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_SIMULATE_REPORTCOMMAND_H
#define CCL_TOOLS_CCL_SIM_SIMULATE_REPORTCOMMAND_H

#include "cclc/Tools/Cli/Output.h"

#include "cclc/Sim/PlanBound.h"
#include "cclc/Sim/SizeSimulation.h"
#include "cclc/Sim/SweepResult.h"

namespace cclc {

/// Executes a plan whose steps only stand for the operations of another executor; unset: the plan
/// is executed as it is.
using RunForReport = std::function<FailureOr<SizedRun>(Bytes, SimListener &, DiagnosticEngine &)>;

/// The runs of a page, which are simulated again to be recorded.
struct ReportRequest {
  std::string file; ///< the file of the plan
  const BoundPlan &bound;
  const SweepResult &summary; ///< of these runs, with at least one size
  SimOptions options;
  std::optional<std::string> baseline;       ///< a plan file to compare with, in any form
  std::optional<std::string> measured;       ///< a trace of ccl-run to show beside the simulation
  std::string pageFile;                      ///< share/cclc/report.html
  BoundEffort effort = BoundEffort::Limited; ///< of the bounds of the baseline
  RunForReport simulate = {};
};

/// Fails if the baseline cannot be read, is wrong or is not comparable, or if the page is missing.
LogicalResult writeReport(const ReportRequest &request, StringRef path, Progress &progress,
                          DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_SIMULATE_REPORTCOMMAND_H
