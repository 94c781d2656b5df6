//===- ResultCheck.h - Checks of the results of a search --------*- C++ -*-===//

#ifndef CCL_SEARCH_TUNE_RESULTCHECK_H
#define CCL_SEARCH_TUNE_RESULTCHECK_H

#include "cclc/Search/Tune/Portfolio.h"
#include "cclc/Search/Tune/Tuner.h"

namespace cclc {

/// Warns of the parameters with which programs of users are wrong, whose candidates are not in the
/// rankings. Fails on a defect: a plan of a right program is wrong, or the fastest plan of a size
/// takes less time than the link bound allows.
LogicalResult checkResult(const TuneProblem &problem, const TuneResult &result,
                          DiagnosticEngine &diags);

/// The times of \p plan, which is right, with \p sizes, as a search measures its candidates.
TimesOfPlan timePlan(const TuneProblem &problem, ExecPlan plan, ArrayRef<uint64_t> sizes);

/// Whether \p plan, which \p name names, takes the times that the search has found for \p range.
/// Reports the first other time, which is a defect. Plans that are timed in the form of MSCCL++ are
/// not checked.
LogicalResult checkTimes(const TuneProblem &problem, const TuneResult &result,
                         const PlanRange &range, const ExecPlan &plan, StringRef name,
                         DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SEARCH_TUNE_RESULTCHECK_H
