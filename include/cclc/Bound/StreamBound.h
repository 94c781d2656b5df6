//===- StreamBound.h - Bounds by the streams of all PEs ---------*- C++ -*-===//
//
// A PE that has few streams receives one message after the other, and waits for the delivery of
// each credit (rules 12 and 13 of docs/machine-model.md). So a message from a distant rank occupies
// the stream for longer than one from a neighbour. Not all messages of a collective come from
// neighbours: the data have to reach every group of ranks from outside.
//
// Two bounds follow, both linear in the size of the buffer:
//
// * the average over all PEs: every element moves along transfers that connect all ranks, which
//   take no less than a minimum spanning tree of the ranks; those of an all-reduce no less than
//   two;
// * groups of ranks that are close to each other: what they receive from outside.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_STREAMBOUND_H
#define CCL_BOUND_STREAMBOUND_H

#include "cclc/Bound/FlowGraph.h"
#include "cclc/Bound/RankWork.h"

namespace cclc {

class StreamBound {
public:
  /// No bound.
  StreamBound() = default;
  /// \p machine has no protocols; its slots have \p slotSize bytes. There is no bound if streams or
  /// slots are unlimited, if receivers fetch their messages, or if the distances between all
  /// ranks take longer than until \p deadline.
  StreamBound(const Machine &machine, Bytes slotSize, const FlowGraph &graph,
              const Collective &collective, const RankWork &work, const Deadline &deadline = {});

  NamedTime at(Bytes buffer) const;

private:
  /// A bound of \c received times the bytes that each rank receives plus \c entering times those
  /// that the ranks of a group receive from others, over \c weight, for slots of data.
  struct Bound {
    Share eachReceives, enters;
    Wide received = 0, entering = 0, weight = 1;
    std::string cause;
  };

  LogicalResult measure(const Machine &machine, const FlowGraph &graph, const Deadline &deadline);
  void spanRanks();
  void addAverage(const Collective &collective, const RankWork &work);
  void addGroups(const FlowGraph &graph, const Machine &machine, const Collective &collective,
                 const RankWork &work);
  void addGroup(ArrayRef<uint32_t> members, const std::string &name, const Collective &collective,
                const RankWork &work);
  /// The time in picoseconds for which a slot of data from \p from occupies the stream of \p to.
  int64_t cost(uint32_t from, uint32_t to) const { return costs[size_t(to) * ranks + from]; }
  /// In either direction.
  int64_t least(uint32_t a, uint32_t b) const { return std::min(cost(a, b), cost(b, a)); }

  /// An edge of a minimum spanning tree.
  struct Edge {
    int64_t cost;
    uint32_t a, b;
    friend auto operator<=>(const Edge &, const Edge &) = default;
  };

  uint32_t ranks = 0;
  uint32_t streams = 1;
  Bytes slot;
  int64_t reduction = 0; ///< picoseconds to reduce a slot of data
  std::vector<int64_t> costs;
  int64_t mostCost = 1;
  std::vector<int64_t> nearest; ///< by rank: the least cost into it
  std::vector<Edge> tree;       ///< in ascending order of costs
  std::vector<Bound> bounds;
};

} // namespace cclc

#endif // CCL_BOUND_STREAMBOUND_H
