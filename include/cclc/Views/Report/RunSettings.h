//===- RunSettings.h - The settings that times depend on --------*- C++ -*-===//
//
// Everything that changes the times of a plan, besides its steps and the size: the machine and its
// changes, the placement of ranks, and the options of the run. All output formats record it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_VIEWS_REPORT_RUNSETTINGS_H
#define CCL_VIEWS_REPORT_RUNSETTINGS_H

#include "cclc/Sim/SweepResult.h"

namespace cclc {

/// A setting by the name of its key in the JSON report; its value is never empty.
struct RunSetting {
  std::string name, value;
};

/// All settings of the run of \p bound that \p summary is about.
std::vector<RunSetting> runSettings(const SweepResult &summary, const PlanOnMachine &bound);

/// The endpoints of the ranks in the notation of `cclc --endpoints`.
std::string endpointsText(const PlanOnMachine &bound);
/// Whether rank i is at endpoint i.
bool isPlacedInOrder(const PlanOnMachine &bound);

} // namespace cclc

#endif // CCL_VIEWS_REPORT_RUNSETTINGS_H
