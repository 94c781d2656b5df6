//===- SimulationReport.h - The page about a simulation ---------*- C++ -*-===//
//
// The work of `ccl-sim --report`.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_SIMULATIONREPORT_H
#define CCL_TOOLS_SIMULATIONREPORT_H

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

/// The page, in HTML. Calls \p onStage, which may be empty, with the name of each stage. Fails if
/// the baseline cannot be read, is wrong or is not comparable, or if the page is missing.
FailureOr<std::string> makeReport(const ReportRequest &request,
                                  const std::function<void(StringRef)> &onStage,
                                  DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_SIMULATIONREPORT_H
