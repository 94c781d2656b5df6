//===- AdviceRuns.h - Trying and ranking changes ----------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_ADVICERUNS_H
#define CCL_TOOLS_CCL_SIM_ADVICERUNS_H

#include "AdviceTrial.h"

namespace cclc {

/// Tries changes of the options of the run, and other compilations of the plan, at the last size.
/// The result has the changes that save at least 1 % of the time, one for each choice, the largest
/// gain first.
AdviceResult runAdvice(const AdviceRequest &request, Progress &progress);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_ADVICERUNS_H
