//===- TimesOnTargets.h - Two plans on all targets of a request -*- C++ -*-===//

#ifndef CCL_LIB_DIFF_TIMESONTARGETS_H
#define CCL_LIB_DIFF_TIMESONTARGETS_H

#include "cclc/Diff/PlanTimes.h"
#include "cclc/Sim/Simulator.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc::diff {

/// Adds the times of every type and size. Fails at the first simulation that does.
using AddTimes = llvm::function_ref<LogicalResult(Simulator &before, Simulator &after)>;
/// Binds both plans to a machine, and has their times added.
using TimeOnMachine = llvm::function_ref<LogicalResult(const Machine &machine,
                                                       const SimulatorSettings &how, AddTimes add)>;

/// Calls \p onMachine with the machine of every target, until it fails. Fails if a plan is not
/// proved.
LogicalResult addTimesOnTargets(const TimesRequest &request, DiffResult &result,
                                DiagnosticEngine &diags, TimeOnMachine onMachine);

} // namespace cclc::diff

#endif // CCL_LIB_DIFF_TIMESONTARGETS_H
