//===- Search.h - Searching for the fastest variant -------------*- C++ -*-===//
//
// The search of -O3. A variant is a set of compilation options. The simulator times the plan of a
// variant at several sizes, and variants are compared by the geometric mean of their times; a
// variant with more threadblocks must be two percent faster. The properties are varied one at a
// time, keeping the best value of each, until a round brings no improvement.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TUNE_SEARCH_H
#define CCL_TUNE_SEARCH_H

#include "cclc/Compiler/Variant.h"

namespace cclc {

/// Representative sizes from \p smallest to \p largest bytes; default sizes if there is no largest.
std::vector<uint64_t> representativeSizes(uint64_t smallest, std::optional<uint64_t> largest);

/// A VariantSearch. Ties are broken by fewer threadblocks, fewer steps, and the order of
/// evaluation, which begins with \p start.
Variant findFastest(const Variant &start, const SearchSpace &space, const Machine &machine,
                    const std::function<FailureOr<ExecPlan>(const Variant &)> &build,
                    Remarks *remarks);

} // namespace cclc

#endif // CCL_TUNE_SEARCH_H
