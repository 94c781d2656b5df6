//===- DataFlow.h - Ordering of reads by data flow --------------*- C++ -*-===//
//
// A packet publishes only its own bytes. But these depend on the values that were read for them, so
// those reads are complete when the packet has arrived, and so are the reads for packets among
// these values, through any number of hops. A write whose value depends on a packet follows all of
// these reads, chunk by chunk. So does every write after the nop that follows the wait for the
// packet, in this threadblock and in those that synchronise with it.
//
// A lane is the reads and writes of one chunk of one operation of a launch. A moment is the set of
// events that a threadblock has waited for when one of its segments begins. Both are nodes of a
// graph, in which a search leads from a write back to the reads before it. The size of the graph is
// that of the plan times the number of launches; it is searched only if clocks do not order two
// accesses.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_PROOF_DATAFLOW_H
#define CCL_LIB_MSCCLPP_PROOF_DATAFLOW_H

#include "cclc/Support/LLVM.h"

#include <optional>
#include <vector>

namespace cclc::mscclpp {

class DataFlow {
public:
  using Lane = uint32_t;
  using Moment = uint32_t;
  /// The moment before any wait.
  static constexpr Moment start = 0;

  DataFlow() { clear(); }
  void clear();

  /// Adds a chunk of an operation. \p packets are the lanes that wrote the packets that it waits
  /// for, \p values those that wrote the other cells that it reads in this launch. It begins at
  /// \p when.
  Lane addLane(Moment when, ArrayRef<Lane> packets, ArrayRef<Lane> values);
  /// Adds the moment after all of \p moments and after the packets of \p lanes have arrived;
  /// \p ends marks the end of a launch of its rank.
  Moment addMoment(ArrayRef<Moment> moments, ArrayRef<Lane> lanes, bool ends = false);

  /// Finds the nodes that are complete when \p lane or, without one, an operation that begins at
  /// \p when, writes. With \p sameLaunch the search ends at the beginning of the launch.
  void search(std::optional<Lane> lane, Moment when, bool sameLaunch);
  /// The result of the search: whether \p lane has read all of its sources, or its packets; whether
  /// \p moment has passed. After a search from a lane, this holds for each of its elements
  /// separately.
  bool hasRead(Lane lane) const { return laneReached[lane] == current; }
  bool hasReadPackets(Lane lane) const { return hasRead(lane) || packetsRead[lane] == current; }
  bool hasCome(Moment moment) const { return momentReached[moment] == current; }

  /// Whether the searches have exceeded the limit of steps.
  bool isExhausted() const { return steps > maxSteps; }

private:
  static constexpr uint64_t maxSteps = uint64_t(1) << 30;

  struct Edges {
    uint32_t first = 0, packets = 0, values = 0; ///< packets first
  };
  struct LaneNode {
    Moment when;
    Edges edges;
  };
  struct MomentNode {
    Edges edges; ///< `packets`: the lanes; `values`: the moments
    bool ends = false;
  };
  struct Source {
    std::optional<Lane> lane;
    Moment when;
    bool sameLaunch;
    friend bool operator==(const Source &, const Source &) = default;
  };

  Edges append(ArrayRef<uint32_t> packets, ArrayRef<uint32_t> values);
  ArrayRef<uint32_t> packetsOf(const Edges &edges) const;
  ArrayRef<uint32_t> valuesOf(const Edges &edges) const;
  void reach(Lane lane);

  std::vector<LaneNode> lanes;
  std::vector<MomentNode> moments;
  std::vector<uint32_t> targets; ///< targets of edges

  /// The number of the last search that reached each node.
  std::vector<uint32_t> laneReached, packetsRead, momentReached;
  std::vector<Lane> openLanes;
  uint32_t current = 0;
  std::optional<Source> found;
  uint64_t steps = 0;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_PROOF_DATAFLOW_H
