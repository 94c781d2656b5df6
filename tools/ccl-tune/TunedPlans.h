//===- TunedPlans.h - A tuned collective ------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_TUNE_TUNEDPLANS_H
#define CCL_TOOLS_CCL_TUNE_TUNEDPLANS_H

#include "MeasuredTuning.h"

#include "cclc/Formats/PortfolioFile.h"
#include "cclc/Search/Tune/Portfolio.h"
#include "cclc/Search/Tune/Survival.h"
#include "cclc/Search/Tune/Tuner.h"
#include "cclc/Search/Tune/Vary.h"

#include "llvm/ADT/STLExtras.h"

namespace cclc {

/// The search for one collective and its outcome, at an address that does not change.
struct TunedPlans {
  TuneProblem problem;
  std::optional<CandidateSpace> space = {}; ///< of the problem, with the programs of candidates
  TuneResult result = {};
  /// The portfolio; PlanRange::plan is an index into result.tried.
  std::vector<PlanRange> ranges = {};
  std::vector<PortfolioGap> gaps = {};         ///< the sizes between them that no plan serves
  SurvivalResult survival = {};                ///< of --survive
  std::optional<MeasuredTuning> measured = {}; ///< of --measure
  std::vector<MachineVariant> variants = {};   ///< of --vary
  std::vector<Elasticity> elasticities = {};   ///< by axis of --vary
  /// With --invariant, the best plans with any reduction order, by size.
  std::vector<BestOfSize> anyOrder = {};

  const Tried &of(const PlanRange &range) const { return result.tried[range.plan]; }
  /// The fastest other plan with \p size and its loss, "allgather_ring (+12 %)"; may be empty.
  std::string runnerUp(uint64_t size) const;
};

/// "the budget"; empty for a complete search.
inline std::string endText(SearchEnd end) {
  return end == SearchEnd::Complete ? ""
         : end == SearchEnd::Budget ? "the budget"
                                    : "the time limit";
}

/// The best plans so far.
using BestSoFar = std::map<uint64_t, std::pair<SimTime, std::string>>;
/// A table of them in lines.
std::vector<std::string> linesOf(const TuneProblem &problem, const BestSoFar &best);

/// Prints the best plan of each size, the portfolio and the Pareto front of the largest size.
void printTable(const TunedPlans &tuned, raw_ostream &os);

/// Prints the portfolio: its plans, their ranges, and the sizes between them.
void printRanges(const TunedPlans &tuned, raw_ostream &os);

/// Prints the times without one part, and the plans for them.
void printSurvival(const TunedPlans &tuned, raw_ostream &os);

/// Prints the cost of --invariant by size.
void printInvariance(const TunedPlans &tuned, raw_ostream &os);

/// Prints the best plans of the variants, and the elasticities.
void printVariants(const TunedPlans &tuned, ArrayRef<VaryAxis> axes, raw_ostream &os);

/// Writes the same as JSON.
LogicalResult writeVariants(ArrayRef<TunedPlans> tuned, ArrayRef<VaryAxis> axes,
                            const std::string &path, DiagnosticEngine &diags);

/// Writes an HTML page with all tables and charts. \p page is the page without data.
LogicalResult writeTuneReport(ArrayRef<TunedPlans> tuned, ArrayRef<VaryAxis> axes,
                              const std::string &page, const std::string &path,
                              DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_TUNE_TUNEDPLANS_H
