//===- Search.h - Searching for the fastest variant -------------*- C++ -*-===//
//
// The search of -O3: that of the tuner (Tuner.h) for one program and one plan of all sizes.
// Variants are compared by the geometric mean of their times; of those within one percent of the
// best, the plan with the fewest threadblocks is taken, unless the first one is faster. The sizes
// are those at which the first variant fits the memories of the machine; if these are not all, or
// if the machine does not accept the variant, the search begins with another one that fits more.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_TUNE_SEARCH_H
#define CCL_SEARCH_TUNE_SEARCH_H

#include "cclc/Compiler/Variant.h"

namespace cclc {

/// Representative sizes from \p smallest to \p largest bytes; default sizes if there is no largest.
std::vector<uint64_t> representativeSizes(uint64_t smallest, std::optional<uint64_t> largest);

/// A VariantSearch. Ties are broken by the mean, fewer steps, and the order of evaluation, which
/// begins with \p start.
Variant findFastest(const Variant &start, const SearchSpace &space, const Machine &machine,
                    const std::function<FailureOr<ExecPlan>(const Variant &)> &build,
                    Remarks *remarks);

} // namespace cclc

#endif // CCL_SEARCH_TUNE_SEARCH_H
