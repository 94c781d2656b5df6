//===- PathPacking.h - Paths that share links evenly ------------*- C++ -*-===//
//
// In a gather, scatter or all-to-all, every chunk has one destination, and moves there along a
// path: one transfer, or several by way of other ranks. If the chunks of a pair of ranks take
// different paths, chosen so that all of them together load the links evenly, the busiest link has
// little more to do than the bound over all cuts and path lengths.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_SYNTH_PATHPACKING_H
#define CCL_SEARCH_SYNTH_PATHPACKING_H

#include "cclc/Search/Synth/TransferGraph.h"

namespace cclc::synth {

/// The ranks that have a chunk one after the other, from its sender to its destination.
using ChunkPath = std::vector<RankId>;

/// A requested path between two different ranks.
struct ChunkDemand {
  RankId from, to;
};

/// The transfers that paths consist of.
enum class Transfers : uint8_t {
  All,        ///< any, as few as possible
  Neighbours, ///< those whose route passes no third rank, with as few links in total as possible
};

struct PathOptions {
  /// The load below which no paths can be, for which the search stops; in seconds per byte of a
  /// chunk.
  double leastLoad;
  Transfers transfers = Transfers::All;
  /// The effort of the search: the largest number of transfers whose cost is computed.
  uint64_t effort = 40'000'000;
};

struct PathPacking {
  std::vector<ChunkPath> paths; ///< in the order of the demands
  /// The time that a byte of every chunk takes on the busiest link, in seconds.
  double load = 0;
};

/// Finds a path for every demand. Unset if there is none for some.
std::optional<PathPacking> packPaths(const TransferGraph &graph, ArrayRef<ChunkDemand> demands,
                                     const PathOptions &options);

} // namespace cclc::synth

#endif // CCL_SEARCH_SYNTH_PATHPACKING_H
