//===- Portfolio.h - Plans with their ranges of sizes -----------*- C++ -*-===//

#ifndef CCL_SEARCH_TUNE_PORTFOLIO_H
#define CCL_SEARCH_TUNE_PORTFOLIO_H

#include "cclc/Support/LLVM.h"
#include "cclc/Support/Units.h"

#include <optional>
#include <vector>

namespace cclc {

/// The times of a plan by size, in the order of the sizes; unset: not measured.
using TimesOfPlan = std::vector<std::optional<SimTime>>;

/// A plan and the sizes for which it is used.
struct PlanRange {
  size_t plan;
  uint64_t minBytes, maxBytes;
  size_t firstSize, lastSize; ///< the measured sizes in the range
  friend bool operator==(const PlanRange &, const PlanRange &) = default;
};

struct PortfolioOptions {
  /// Unset: as few as possible while no size is slower than its best plan by more than \c permille;
  /// among these, plans with few threadblocks, which leave more of the processors to others.
  std::optional<uint32_t> maxPlans;
  uint32_t permille = 10;
  std::vector<uint32_t> threadblocks = {}; ///< by plan; may be empty
};

/// Covers the range from the first of \p sizes to the last with plans, without overlap, and without
/// gap but for sizes that no plan runs with, up to the next ones that some plan runs with. Between
/// two other measured sizes, the change is where the lines through the times of both plans cross.
/// Empty if no plan runs with any size, or if they do not cover the others with maxPlans ranges.
std::vector<PlanRange> coverSizes(ArrayRef<uint64_t> sizes, ArrayRef<TimesOfPlan> plans,
                                  const PortfolioOptions &options = {});

struct TuneProblem;
struct TuneResult;
/// The plans of a search for the sizes of its problem, without ranges in which the runtime has no
/// size; PlanRange::plan is an index into TuneResult::tried.
std::vector<PlanRange> choosePlans(const TuneProblem &problem, const TuneResult &result,
                                   std::optional<uint32_t> maxPlans);

} // namespace cclc

#endif // CCL_SEARCH_TUNE_PORTFOLIO_H
