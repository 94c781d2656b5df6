//===- DataFlow.h - Which reads a write must come after ---------*- C++ -*-===//
//
// A packet publishes nothing but its own bytes. But its bytes were made of what was
// read for them, so those reads are over when the packet has arrived; so are the reads
// that made the packets among them, through any number of hops. A write whose value
// is made of a packet comes after all of them, chunk by chunk. So does every write
// after the nop that follows the wait for the packet, in this threadblock and in those
// that synchronise with it.
//
// A lane is one chunk of one operation of a launch: what it reads and writes. A moment
// is what a threadblock has waited for when one of its segments begins. Both are nodes
// of a graph, in which a search leads from a write back to the reads before it. Its
// size is that of the plan times the launches; it is asked only where clocks do not
// order two accesses.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_DATAFLOW_H
#define CCL_LIB_MSCCLPP_DATAFLOW_H

#include "cclc/Support/LLVM.h"

#include <optional>
#include <vector>

namespace cclc::mscclpp {

class DataFlow {
public:
  using Lane = uint32_t;
  using Moment = uint32_t;
  /// When nothing has been waited for.
  static constexpr Moment start = 0;

  DataFlow() { clear(); }
  void clear();

  /// A chunk of an operation: \p packets are the lanes that wrote the packets that it waits for,
  /// \p values those that wrote the other cells that it reads in this launch. It begins when \p
  /// when is over.
  Lane addLane(Moment when, ArrayRef<Lane> packets, ArrayRef<Lane> values);
  /// After all of \p moments and after the packets of all of \p lanes have come; \p ends says that
  /// a launch of its rank is over.
  Moment addMoment(ArrayRef<Moment> moments, ArrayRef<Lane> lanes, bool ends = false);

  /// Finds what is over when \p lane, or else whatever begins at \p when, writes. With \p
  /// sameLaunch it does not look beyond the begin of the launch.
  void search(std::optional<Lane> lane, Moment when, bool sameLaunch);
  /// What was found: whether \p lane has read all of its sources, or its packets; whether \p moment
  /// has come. Of a search from a lane, this holds for each of its elements.
  bool hasRead(Lane lane) const { return laneReached[lane] == current; }
  bool hasReadPackets(Lane lane) const { return hasRead(lane) || packetsRead[lane] == current; }
  bool hasCome(Moment moment) const { return momentReached[moment] == current; }

  /// Whether searches took more steps than a proof may.
  bool isExhausted() const { return steps > maxSteps; }

private:
  static constexpr uint64_t maxSteps = uint64_t(1) << 30;

  struct Edges {
    uint32_t first = 0, packets = 0, values = 0; ///< packets come first
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
  std::vector<uint32_t> targets; ///< of edges

  /// What the last search found, as the number of the search.
  std::vector<uint32_t> laneReached, packetsRead, momentReached;
  std::vector<Lane> openLanes;
  uint32_t current = 0;
  std::optional<Source> found;
  uint64_t steps = 0;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_DATAFLOW_H
