//===- TimedPaths.h - Paths of chunks that grow in time ---------*- C++ -*-===//
//
// The paths of a gather, scatter or all-to-all of small buffers, for which latencies and the fixed
// costs of messages decide. Every chunk takes the path on which it arrives first, over links and
// ranks that are free by then, and the next chunk is always the one that arrives first of all: a
// greedy search over the links of the network expanded in time (Won et al., TACOS, MICRO 2024, for
// chunks with one destination). Direct transfers are the fastest if ranks may send to all others;
// if their queues limit the number of peers, chunks move by way of other ranks.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_SYNTH_TIMEDPATHS_H
#define CCL_SEARCH_SYNTH_TIMEDPATHS_H

#include "cclc/Search/Synth/PathPacking.h"
#include "cclc/Search/Synth/TimedTrees.h"

namespace cclc::synth {

struct TimedPaths {
  std::vector<ChunkPath> paths; ///< in the order of the demands
  /// The indices of the demands in the order in which they were chosen.
  std::vector<uint32_t> order;
  SimTime time; ///< from the first send to the last arrival
};

/// Grows a path for every demand; all chunks, of \p chunk bytes, are ready at the same time. \p
/// inReverse: time is reversed, so that all chunks arrive at the same time and those with the
/// longest ways are sent first. Unset if there is no path for some demand.
std::optional<TimedPaths> growPaths(const TransferGraph &graph, ArrayRef<ChunkDemand> demands,
                                    const MessageCosts &costs, Bytes chunk, bool inReverse);

} // namespace cclc::synth

#endif // CCL_SEARCH_SYNTH_TIMEDPATHS_H
