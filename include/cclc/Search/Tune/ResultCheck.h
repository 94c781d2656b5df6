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
/// The same for a plan of MSCCL++.
TimesOfPlan timePlan(const TuneProblem &problem, mscclpp::Plan plan, ArrayRef<uint64_t> sizes);

/// The sizes of \p problem in \p range.
ArrayRef<uint64_t> sizesOf(const TuneProblem &problem, const PlanRange &range);

/// Whether \p times, those of the plan that \p name names with sizesOf(), are what the search has
/// found for \p range. Reports the first other time, which is a defect.
LogicalResult checkTimes(const TuneProblem &problem, const TuneResult &result,
                         const PlanRange &range, ArrayRef<std::optional<SimTime>> times,
                         StringRef name, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SEARCH_TUNE_RESULTCHECK_H
