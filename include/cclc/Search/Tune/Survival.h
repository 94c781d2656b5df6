//===- Survival.h - Plans for a machine without one part --------*- C++ -*-===//
//
// The plans of a portfolio may be slow, or useless, when a link, a NIC or a rank has failed. Each
// class of such failures (Bound/FailureClasses.h) has the times of these plans and, where they are
// slower than before, a search of its own. Of all plans found, the fewest are kept with which no
// size of any class takes more than a percent longer than with the best of them.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_TUNE_SURVIVAL_H
#define CCL_SEARCH_TUNE_SURVIVAL_H

#include "cclc/Formats/PortfolioFile.h"
#include "cclc/Search/Tune/Deployment.h"
#include "cclc/Target/MachineParts.h"

namespace cclc {

struct SurvivalRequest {
  const TuneRequest &request; ///< of the whole machine
  const TuneProblem &problem; ///< of \c request
  const TuneResult &result;
  ArrayRef<PlanRange> ranges; ///< the portfolio of the whole machine
  const dsl::ProgramRegistry &programs;
  ArrayRef<std::string> names; ///< of CandidateSpace::create(), for the whole machine
  const MeasureStore &store;
  ArrayRef<PartKind> parts;
  const TuneOptions &options;
};

/// A plan that serves some failures.
struct SurvivalPlan {
  std::string title; ///< of its candidate
  /// As in a portfolio, without points. The sizes are those for which the plan is made.
  PortfolioFileRow row;
  DeliveredPlan delivered;
};

/// A class of failures and what serves it.
struct Survival {
  struct Point {
    uint64_t bytes = 0;
    /// With all parts; without one, with the plan of the portfolio; without one, with the best plan
    /// that is kept. Unset: none runs.
    std::optional<SimTime> before, unchanged, after;
    SizeBound bound = {}; ///< without one part
    size_t plan = 0;      ///< an index into SurvivalResult::plans; with \c after
  };
  /// The sizes for which a plan is used.
  struct Range {
    size_t plan;
    uint64_t minBytes, maxBytes;
  };

  PartKind part;
  std::vector<std::string> parts; ///< their names; the times are those without the first
  std::string lost;               ///< why there is no plan; empty if there is one
  /// False if there was something to gain, but the searches had reached their limit.
  bool isSearched = true;
  std::vector<Point> points; ///< by size
  std::vector<Range> ranges; ///< ascending
};

struct SurvivalResult {
  std::vector<SurvivalPlan> plans; ///< those of the portfolio, then those for failures alone
  size_t portfolioPlans = 0;
  std::vector<Survival> classes;
  uint64_t messages = 0; ///< simulated
};

/// The failures in a portfolio.
std::vector<PortfolioFailure> failuresOf(const SurvivalResult &result, const TuneProblem &problem);

/// Fails if the machine of \p problem has none of one of the \p parts. To be called before a
/// search.
LogicalResult checkSurvival(const TuneProblem &problem, ArrayRef<PartKind> parts,
                            DiagnosticEngine &diags);

/// Fails if checkSurvival() does, or with a defect if a plan is wrong.
FailureOr<SurvivalResult> tuneSurvival(const SurvivalRequest &request, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SEARCH_TUNE_SURVIVAL_H
