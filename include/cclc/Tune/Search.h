//===- Search.h - The fastest of many ways to compile -----------*- C++ -*-===//
//
// What -O3 does. A variant says how a program is compiled; the simulator times the
// plan that comes out, at several sizes, and a variant is as good as the geometric
// mean of its times; more threadblocks have to pay by two percent. One property after
// the other is changed while the rest is kept, and the best value stays, until a round
// brings nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TUNE_SEARCH_H
#define CCL_TUNE_SEARCH_H

#include "cclc/Compiler/Variant.h"

namespace cclc {

/// The sizes from \p smallest to \p largest bytes that stand for all, or those that do
/// where there is no largest.
std::vector<uint64_t> representativeSizes(uint64_t smallest, std::optional<uint64_t> largest);

/// A VariantSearch. Ties go to fewer threadblocks, fewer steps, and what was tried first, which is
/// \p start.
Variant findFastest(const Variant &start, const SearchSpace &space, const Machine &machine,
                    const std::function<FailureOr<ExecPlan>(const Variant &)> &build,
                    Remarks *remarks);

} // namespace cclc

#endif // CCL_TUNE_SEARCH_H
