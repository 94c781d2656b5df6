//===- PathAlgorithm.h - Collectives over packed paths ----------*- C++ -*-===//
//
// The data of every pair of ranks are divided into chunks, and each chunk moves along a path of its
// own: to the root in a gather, from the root in a scatter, and between all pairs in an all-to-all.
// The paths are packed for the routes of a machine (PathPacking.h).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_SYNTH_PATHALGORITHM_H
#define CCL_SEARCH_SYNTH_PATHALGORITHM_H

#include "cclc/DSL/Declaration.h"
#include "cclc/Search/Synth/TimedPaths.h"

namespace cclc::synth {

struct PathRequest {
  CollectiveKind collective;
  /// The root of a gather or scatter.
  RankId root = RankId(0);
  /// The number of chunks per pair of ranks; unset: the fewest whose load is near the lowest found.
  std::optional<uint32_t> chunks;
  Transfers transfers = Transfers::All;
  /// A bound on the time, in seconds per byte of the buffer, below which no plan for the collective
  /// can be.
  double leastSecondsPerByte;
};

/// A chunk of the data from the first rank of its path to the last.
struct PathOfChunk {
  uint32_t chunk;
  ChunkPath ranks;
};

struct PathAlgorithm {
  CollectiveKind collective;
  uint32_t ranks;
  RankId root = RankId(0);
  uint32_t chunksPerPair;
  std::vector<PathOfChunk> paths; ///< in the order of the program
  /// The time that the busiest link takes, in seconds per byte of the buffer.
  double secondsPerByte;
  /// The largest number of transfers of a path.
  uint32_t depth;
  /// The estimated time of paths for small buffers.
  std::optional<SimTime> estimate = {};
};

/// Whether paths can implement \p collective.
bool hasPaths(CollectiveKind collective);

/// Unset if some rank cannot be reached from another.
std::optional<PathAlgorithm> findPaths(const TransferGraph &graph, const PathRequest &request);

/// Paths for small buffers, of \p buffer bytes: the estimated time is minimised instead of the load
/// of the busiest link. The number of chunks per pair is 1 by default. Unset if some rank cannot be
/// reached from another.
std::optional<PathAlgorithm> findTimedPaths(const TransferGraph &graph, const PathRequest &request,
                                            const MessageCosts &costs, Bytes buffer);

/// The algorithm as a program. \p name is its name, \p summary its description.
dsl::Declaration declare(const PathAlgorithm &algorithm, const std::string &name,
                         const std::string &summary);
/// The same program as C++ source.
void writeSource(const PathAlgorithm &algorithm, StringRef name, StringRef summary,
                 raw_ostream &os);

} // namespace cclc::synth

#endif // CCL_SEARCH_SYNTH_PATHALGORITHM_H
