//===- ChosenPlan.h - The plans that a search has chosen --------*- C++ -*-===//

#ifndef CCL_SEARCH_TUNE_CHOSENPLAN_H
#define CCL_SEARCH_TUNE_CHOSENPLAN_H

#include "cclc/Formats/PortfolioFile.h"
#include "cclc/Search/Tune/Portfolio.h"
#include "cclc/Search/Tune/Tuner.h"

namespace cclc {

/// Compiles the plan of \p range again, for these sizes, and proves it. A runtime may not accept
/// the sizes; any other failure is a defect, as the search has proved the same plan.
FailureOr<ExecPlan> compileChosen(const TuneProblem &problem, const TuneResult &result,
                                  const PlanRange &range, DiagnosticEngine &diags);

/// The point of a portfolio for a plan that takes \p time with \p size.
PortfolioPoint pointOf(uint64_t size, SimTime time, const SizeBound &bound);

/// The row of \p range in a portfolio; \p plan is the file.
PortfolioFileRow rowOf(const TuneProblem &problem, const TuneResult &result, const PlanRange &range,
                       std::string plan);

/// The sizes of \p problem outside of \p ranges, ascending, each gap up to the next range.
std::vector<PortfolioGap> gapsOf(const TuneProblem &problem, const TuneResult &result,
                                 ArrayRef<PlanRange> ranges);
/// The same with the reasons of \p reasonOf for the measured sizes from \p first to before \p end.
std::vector<PortfolioGap>
gapsOf(const TuneProblem &problem, ArrayRef<PlanRange> ranges,
       llvm::function_ref<std::string(size_t first, size_t end)> reasonOf);

/// Reports why choosePlans() has found no plans: no candidate runs with any of the sizes, or
/// \p maxPlans are too few.
void reportUncovered(const TuneProblem &problem, const TuneResult &result,
                     std::optional<uint32_t> maxPlans, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SEARCH_TUNE_CHOSENPLAN_H
