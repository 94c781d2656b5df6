//===- TreeAlgorithm.h - Collectives over packed trees ----------*- C++ -*-===//
//
// The data of every root are divided into chunks, and each chunk moves along a spanning tree of its
// own: from the root in a broadcast and an all-gather, to the root in a reduction and a
// reduce-scatter, and first to the root, then from it in an all-reduce. The trees are packed for
// the routes of a machine (TreePacking.h).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_SYNTH_TREEALGORITHM_H
#define CCL_SEARCH_SYNTH_TREEALGORITHM_H

#include "cclc/DSL/Declaration.h"
#include "cclc/Search/Synth/TimedTrees.h"
#include "cclc/Search/Synth/TreePacking.h"

namespace cclc::synth {

struct TreeRequest {
  CollectiveKind collective;
  /// The root of a broadcast or reduction.
  RankId root = RankId(0);
  /// The number of trees per root; unset: the fewest whose load is near the lowest found.
  std::optional<uint32_t> trees;
  /// A bound on the time, in seconds per byte of the buffer, below which no plan for the collective
  /// can be.
  double leastSecondsPerByte;
};

struct TreeAlgorithm {
  CollectiveKind collective;
  uint32_t ranks;
  RankId root = RankId(0);
  uint32_t treesPerRoot; ///< equal ones included
  /// By root, then by chunk of the root; empty for a collective without this flow.
  std::vector<Tree> toRoot, fromRoot;
  /// The time that the busiest link or stream takes, in seconds per byte of the buffer.
  double secondsPerByte;
  /// The largest number of transfers on the way from a leaf to the root, or back.
  uint32_t depth;
  /// The estimated time of trees for small buffers.
  std::optional<SimTime> estimate;
  /// Whether the streams of PEs were loaded as well as links.
  bool loadsStreams = false;
  /// The number of equal trees, each for a chunk of its own.
  uint32_t chunksPerTree = 1;
  /// The default of channelsOfTrees.
  uint32_t channels = 1;
  /// Whether the sums of an all-reduce are distributed on the channels that they were formed on,
  /// because queues of PEs are too few for others.
  bool sharesChannels = false;
  /// The default of takesTurns.
  bool ordered = false;
  /// The time between the begins of two rounds; 0: rounds are not scheduled.
  uint32_t period = 0;
};

/// A parameter of the programs: with several channels, trees do not wait for those of others.
inline constexpr dsl::IntParam channelsOfTrees{
    .name = "channels",
    .help = "number of channels of the trees of a root, in turn; 1: the compiler chooses them",
    .value = 1,
    .min = 1,
    .max = 32};

/// A parameter of the programs whose trees are not timed.
inline constexpr dsl::BoolParam takesTurns{
    .name = "ordered",
    .help = "send to each peer in one threadblock, in the order of all trees, without fusion",
    .value = false};

/// A parameter of all-reduces whose rounds are scheduled.
inline constexpr dsl::IntParam roundsOfTrees =
    dsl::IntParam{.name = "rounds",
                  .help =
                      "number of chunks of each tree, for which it is repeated; several: ordered, "
                      "and sums are distributed while others are formed",
                  .value = 1,
                  .min = 1,
                  .max = 1024}
        .fixed();

/// Whether trees can implement \p collective.
bool hasTrees(CollectiveKind collective);

/// Searches for trees for the links and the PEs of a machine: streams have loads like links, and
/// ranks have no more peers than queues, if trees with so few peers exist. Searches for several
/// numbers of trees make each packing once. The machine outlives it.
class TreeSearch {
public:
  TreeSearch(const Machine &machine, const TransferGraph &graph, const TreeRequest &request);

  /// With \p trees per root, as in TreeRequest. Unset if some rank cannot be reached from another.
  std::optional<TreeAlgorithm> find(std::optional<uint32_t> trees);

private:
  struct Graph {
    TransferGraph graph;
    Packings packings = {};
  };
  TreeRequest request;
  std::vector<Graph> graphs; ///< with limited peers first
  /// The limits of the first graph; empty: there is none.
  ArrayRef<std::optional<uint32_t>> queues;
};

/// The same trees, of which each moves \p chunks chunks instead of one.
TreeAlgorithm divideTrees(const TransferGraph &graph, const TreeAlgorithm &algorithm,
                          uint32_t chunks);

/// Schedules rounds of an all-reduce that is not timed, as roundsOfTrees needs, unless they are
/// scheduled.
void scheduleRounds(const TransferGraph &graph, TreeAlgorithm &algorithm);

/// Trees for small buffers, of \p buffer bytes: the estimated time is minimised instead of the load
/// of the busiest link. The number of trees per root is 1 by default. Unset if some rank cannot be
/// reached from another with the permitted peers.
std::optional<TreeAlgorithm> findTimedTrees(const TransferGraph &graph, const TreeRequest &request,
                                            const MessageCosts &costs, Bytes buffer);

/// The algorithm as a program. \p name is its name, \p summary its description.
dsl::Declaration declare(const TreeAlgorithm &algorithm, const std::string &name,
                         const std::string &summary);
/// The same program as C++ source.
void writeSource(const TreeAlgorithm &algorithm, StringRef name, StringRef summary,
                 raw_ostream &os);

} // namespace cclc::synth

#endif // CCL_SEARCH_SYNTH_TREEALGORITHM_H
