//===- AdviceRuns.h - Trying, ranking and printing changes ------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_ADVISE_ADVICERUNS_H
#define CCL_TOOLS_CCL_SIM_ADVISE_ADVICERUNS_H

#include "AdviceTrial.h"

namespace cclc {

/// Tries changes of the options of the run, and other compilations of the plan, at the last size.
/// The result has the changes that save at least 1 % of the time, one for each choice, the largest
/// gain first.
AdviceResult runAdvice(const AdviceRequest &request);

/// Prints the advice of \p report for its last size: time, gain and option of each change, with its
/// cause.
void printAdvice(const SweepResult &report, raw_ostream &os);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_ADVISE_ADVICERUNS_H
