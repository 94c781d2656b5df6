//===- AdviceText.h - Advice as text ----------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_ADVICETEXT_H
#define CCL_TOOLS_CCL_SIM_ADVICETEXT_H

#include "cclc/Sim/SweepResult.h"

namespace cclc {

/// The part of the time of \p last that \p advice saves, in thousandths, rounded down.
uint64_t gainPermille(const Advice &advice, const SizeResult &last);

/// Prints the advice of \p report for its last size: time, gain and option of each change, with its
/// cause.
void printAdvice(const SweepResult &report, raw_ostream &os);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_ADVICETEXT_H
