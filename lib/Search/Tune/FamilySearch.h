//===- FamilySearch.h - The best plans among some candidates ----*- C++ -*-===//
//
// The search from some roots of the space has three rungs:
//
//   1. The candidates are simulated with a few sizes, from the foot of their ladders upwards. A
//      candidate is dropped when it cannot become the best of any size: by the load of its links,
//      by the time of a smaller buffer, and because gains do not increase on a ladder, but for
//      plans near the best. At one size, all steps to it have to be worth while.
//   2. The other sizes are simulated with the candidates that are near the best of a neighbouring
//      size, and with the neighbours of the best on their ladders.
//   3. The best plans of each size are refined, one property after the other: placement, slots,
//      schedule, aggregation and fusion. Neighbours of those that turn out better follow. Then the
//      best are simulated with the neighbouring sizes, where one plan takes over from another.
//
// For one plan of all sizes (cclc -O3), the first rung has all sizes, and the third one is repeated
// for the best plan until it brings no improvement.
//
// Decisions are made between batches of fixed composition and depend on the results of the search
// and the given fronts alone, so that the outcome does not depend on the number of jobs, on
// results that were read from files, or on searches of other roots.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SEARCH_TUNE_FAMILYSEARCH_H
#define CCL_LIB_SEARCH_TUNE_FAMILYSEARCH_H

#include "Pool.h"

namespace cclc {

using Roots = std::vector<std::unique_ptr<Entry>>;

struct FamilyResult {
  TuneResult result;
  ParetoFronts fronts; ///< with those that were given
};

/// Searches \p roots and what is reached from them. \p fronts: results of other candidates,
/// which have to be beaten. Fails if a result cannot be read or written.
FailureOr<FamilyResult> searchFamily(const CandidateSpace &space, Roots roots, ParetoFronts fronts,
                                     SharedRuns &runs, const MeasureStore &store,
                                     const TuneOptions &options, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_SEARCH_TUNE_FAMILYSEARCH_H
