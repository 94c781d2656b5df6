//===- RatioCut.h - The cut that limits the rate of data --------*- C++ -*-===//
//
// Data of certain amounts on the ranks have to reach other ranks, the sinks. A set S of nodes that
// does not contain all sinks must send what it has over the arcs that leave it: this takes at least
// weight(S) / capacity(S). The ratio cut is the set with the largest such time, over all sets of
// nodes. Its links are a certificate: no algorithm is faster.
//
// Switches are on either side, whichever makes the capacity smaller. Data that several sinks need
// cross a cut once, which no machine without multicast in its switches beats.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_RATIOCUT_H
#define CCL_BOUND_RATIOCUT_H

#include "cclc/Bound/FlowGraph.h"

#include "llvm/ADT/BitVector.h"

namespace cclc {

/// A set of nodes S of a flow graph and what must leave it.
struct RatioCut {
  /// The sum of the weights of the ranks in S; 0 if nothing has to cross any cut.
  uint64_t weight = 0;
  /// The sum of the rates of the arcs that leave S. Unset: there is no path out of S. Unlimited: no
  /// cut limits the rate.
  std::optional<Bandwidth> capacity = Bandwidth();
  /// S, by node.
  llvm::BitVector inside;
  /// Whether all cuts were compared; false if the budget or the time did not suffice.
  bool exact = true;

  /// The lower bound on the time, rounded down to a picosecond, if one unit of weight is \p unit
  /// bytes; SimTime::max() without a path.
  SimTime time(Wide bytes) const;
  /// Whether this cut allows less than \p other.
  bool isTighterThan(const RatioCut &other) const;
};

/// The arcs that leave the set of \p cut.
std::vector<FlowArc> arcsOf(const FlowGraph &graph, const RatioCut &cut);

/// Finds the ratio cut for data of \p weights, by rank, that every rank in \p sinks needs (the
/// weight of a sink itself is not needed there). Compares all cuts exactly, unless that takes more
/// than about \p budget visits of arcs, or the time until \p deadline.
RatioCut findRatioCut(const FlowGraph &graph, ArrayRef<uint64_t> weights, ArrayRef<uint32_t> sinks,
                      uint64_t budget = FlowGraph::defaultBudget * 64,
                      const Deadline &deadline = {});

/// The smallest capacity from the ranks with side true to those with side false; those without a
/// side, and switches, are on either side. The weight of the result is 1.
RatioCut findMinCut(const FlowGraph &graph, ArrayRef<std::optional<bool>> sides);

} // namespace cclc

#endif // CCL_BOUND_RATIOCUT_H
