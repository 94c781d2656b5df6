//===- LocalSearch.h - The neighbours of the best plans ---------*- C++ -*-===//
//
// Around the fastest plan of each size, all candidates are tried that differ from it in one
// property, and those that differ in two of which neither makes the plan much slower by itself. A
// plan that is clearly faster is the next centre.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SEARCH_TUNE_LOCALSEARCH_H
#define CCL_LIB_SEARCH_TUNE_LOCALSEARCH_H

#include "SharedRuns.h"
#include "cclc/Search/Tune/Tuner.h"

namespace cclc {

/// Adds the results of the search around the best of \p result to it. Decisions depend on the
/// results alone. Fails if a result cannot be read or written.
LogicalResult searchAroundBest(const CandidateSpace &space, TuneResult &result, SharedRuns &runs,
                               const MeasureStore &store, const TuneOptions &options,
                               DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_SEARCH_TUNE_LOCALSEARCH_H
