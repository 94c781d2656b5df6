//===- TriedCuts.h - Cuts of groups and halves ------------------*- C++ -*-===//
//
// The largest bound over all cuts is found in polynomial time only if the data that cross a cut add
// up over the ranks on one side. All-to-all and custom collectives are bounded by a selection of
// cuts.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_BOUND_TRIEDCUTS_H
#define CCL_LIB_BOUND_TRIEDCUTS_H

#include "cclc/Bound/RatioCut.h"
#include "cclc/IR/Collective.h"

#include <functional>
#include <set>

namespace cclc {

/// A set of ranks.
using RankSet = std::vector<bool>;

/// The number of chunks that the ranks in \p inside must send to the others in any algorithm. A
/// chunk counts once, even if several ranks outside need it; sums of a custom collective may be
/// derived from each other and count as one chunk in total.
uint64_t chunksOut(const Collective &collective, const RankSet &inside);

/// The groups of each level of the machine's hierarchy, halves along each dimension of its grids,
/// and intervals of ranks.
std::set<RankSet> groupsOf(const Machine &machine, ArrayRef<EndpointId> endpoints);

/// The first half of the machine's endpoints, whose cut `cclc targets describe` prints, and the
/// half of each dimension of its grids: few sets, which even the largest machine compares.
std::vector<RankSet> halvesOf(const Machine &machine, ArrayRef<EndpointId> endpoints);

/// The tightest cut around \p candidates, as far as the budget allows, around all \p halves and,
/// for few ranks, around sets that differ from the best of them in single ranks. \p weightOf(S) is
/// the number of parts that must leave S, and takes about \p weightCost operations. No set is begun
/// after \p deadline.
RatioCut tryCuts(const FlowGraph &graph, const std::set<RankSet> &candidates,
                 ArrayRef<RankSet> halves, const std::function<uint64_t(const RankSet &)> &weightOf,
                 uint64_t weightCost, uint64_t &budget, const Deadline &deadline);

} // namespace cclc

#endif // CCL_LIB_BOUND_TRIEDCUTS_H
