//===- RingsAndTrees.h - The best flat rings and trees ----------*- C++ -*-===//
//
// The times of the two algorithms with which measurements are usually compared. A flat ring passes
// all ranks, in any order. It leaves every set of ranks, so that all rings together carry no more
// than the smallest cut between two ranks. Trees of messages reach the tightest cut of collectives
// with one phase, and a reduce-scatter and an all-gather in sequence are an all-reduce.
//
// Assumption: switches neither copy nor reduce data.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_RINGSANDTREES_H
#define CCL_BOUND_RINGSANDTREES_H

#include "cclc/Bound/LinkBound.h"

#include "cclc/IR/Collective.h"

namespace cclc {

/// A lower bound on the time of \p collective by flat rings, for the whole rate of links. \p bound
/// is that of the collective, \p allReduce that of an all-reduce on the same ranks. Unset for
/// collectives without a ring, and without a path.
std::optional<SimTime> ringTime(const Collective &collective, const LinkBound &bound,
                                const LinkBound &allReduce, Bytes buffer);

/// The time that trees of messages reach. Unset for collectives without trees, and without a path.
std::optional<SimTime> treeTime(const Collective &collective, const LinkBound &bound, Bytes buffer);

} // namespace cclc

#endif // CCL_BOUND_RINGSANDTREES_H
