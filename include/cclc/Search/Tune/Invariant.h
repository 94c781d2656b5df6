//===- Invariant.h - Best plans with one reduction order --------*- C++ -*-===//

#ifndef CCL_SEARCH_TUNE_INVARIANT_H
#define CCL_SEARCH_TUNE_INVARIANT_H

#include "cclc/Search/Tune/Tuner.h"

namespace cclc {

/// Searches the best plans that reduce every element of every size in one order, so that results
/// have the same bits with every size. The problem of \p space is invariant. The order is that with
/// the least geometric mean of the best times. The result has usable candidates of this order
/// alone.
FailureOr<TuneResult> tuneInvariant(const CandidateSpace &space, const MeasureStore &store,
                                    const TuneOptions &options, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SEARCH_TUNE_INVARIANT_H
