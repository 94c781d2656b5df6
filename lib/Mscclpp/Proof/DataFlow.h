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
// accesses. Which launches of other ranks have ended before a node is known without a search.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_PROOF_DATAFLOW_H
#define CCL_LIB_MSCCLPP_PROOF_DATAFLOW_H

#include "cclc/Support/Ids.h"
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

  explicit DataFlow(uint32_t ranks) : ranks(ranks) { clear(); }
  void clear();

  /// Adds a chunk of an operation. \p packets are the lanes that wrote the packets that it waits
  /// for, \p values those that wrote the other cells that it reads in this launch. It begins at
  /// \p when.
  Lane addLane(Moment when, ArrayRef<Lane> packets, ArrayRef<Lane> values);
  /// Records that an operation of \p rank waits for the packets of \p lane in this launch.
  void wait(Lane lane, RankId rank);
  /// Adds the moment after all of \p moments and after the packets of \p lanes have arrived. If
  /// there is an \p ending, it is the end of a launch of this rank.
  Moment addMoment(ArrayRef<Moment> moments, ArrayRef<Lane> lanes,
                   std::optional<RankId> ending = std::nullopt);

  /// The number of launches of \p rank that have ended when \p lane or, without one, an operation
  /// that begins at \p when, writes.
  uint32_t launchesEnded(std::optional<Lane> lane, Moment when, RankId rank) const;
  /// Whether the launch of a rank that has waited for packets of \p earlier, and so for its reads,
  /// has ended then.
  bool hasReaderEnded(Lane earlier, std::optional<Lane> lane, Moment when) const;

  /// Begins a search for what is complete when \p lane or, without one, an operation that begins at
  /// \p when, writes. With \p sameLaunch it ends at the beginning of the launch.
  void search(std::optional<Lane> lane, Moment when, bool sameLaunch);
  /// Continues the search until it shows whether \p lane has read all of its sources, or its
  /// packets. After a search from a lane, this holds for each of its elements separately.
  bool hasRead(Lane lane);
  bool hasReadPackets(Lane lane);

  /// Whether the searches have exceeded the limit of steps.
  bool isExhausted() const { return steps > maxSteps; }

private:
  static constexpr uint64_t maxSteps = uint64_t(1) << 30;

  struct Edges {
    uint32_t first = 0, packets = 0, values = 0; ///< packets first
  };
  /// A row of `ended`.
  using Ended = uint32_t;
  /// A rank, and the number of its launches that have ended after it has read something.
  struct Reader {
    RankId rank;
    uint32_t launches;
  };
  struct LaneNode {
    Moment when;
    Edges edges;
    uint32_t number; ///< in the order in which nodes are added
    Ended ended;
    std::optional<Reader> reader = {}; ///< the first of its packets
  };
  struct MomentNode {
    Edges edges; ///< `packets`: the lanes; `values`: the moments
    uint32_t number = 0;
    bool ends = false;
    Ended ended = 0;
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
  void open(uint32_t number);
  void reach(Lane lane);
  void reachMoment(Moment moment);
  template <class Fn> bool searchUntil(Lane lane, Fn isFound);
  void expand(uint32_t number);
  const uint32_t *rowOf(Ended row) const { return ended.data() + size_t(row) * ranks; }
  Ended copyOf(Ended row);
  Ended join(Ended one, Ended other);

  uint32_t ranks;
  std::vector<LaneNode> lanes;
  std::vector<MomentNode> moments;
  /// By number: twice the index of a lane, or of a moment plus one half.
  std::vector<uint32_t> nodes;
  std::vector<uint32_t> targets; ///< targets of edges
  std::vector<uint32_t> ended;   ///< numbers of launches by rank, in rows that nodes share
  bool hasWaits = false;         ///< whether a moment follows packets

  /// The number of the last search that reached each node.
  std::vector<uint32_t> laneReached, packetsRead, momentReached;
  std::vector<uint32_t> openNodes; ///< numbers of nodes to expand, a heap
  uint32_t current = 0;
  std::optional<Source> found;
  uint64_t steps = 0;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_PROOF_DATAFLOW_H
