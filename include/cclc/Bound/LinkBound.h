//===- LinkBound.h - Bounds by the links of a machine -----------*- C++ -*-===//
//
// The least time of a collective over the links of a flow graph, whatever the algorithm: by the
// tightest cut, and by the volume of all messages. For all-gather,
// reduce-scatter, broadcast, reduce, gather and scatter all cuts are compared, and with ideal
// pipelining an algorithm reaches the bound; for others, the cuts of groups and halves, and the
// lengths of all paths.
//
// Assumption: switches neither copy nor reduce data.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_LINKBOUND_H
#define CCL_BOUND_LINKBOUND_H

#include "cclc/Bound/PathBound.h"
#include "cclc/Bound/RatioCut.h"
#include "cclc/Bound/VolumeBound.h"
#include "cclc/IR/Collective.h"

namespace cclc {

/// The work of the search for cuts, in visits of arcs.
struct LinkBudget {
  uint64_t cuts = uint64_t(1) << 34;
  /// For collectives whose cuts are not searched exhaustively.
  uint64_t trials = uint64_t(1) << 29;
  /// For the lengths of paths.
  uint64_t paths = uint64_t(1) << 28;
  /// Searches end here at the latest.
  Deadline deadline = {};
};

/// Bounds that grow in proportion to the size of the buffer, which is that of ccl-sim --bytes.
struct LinkBound {
  /// The tightest cut: cut.weight parts of the buffer cross it, each of which is 1/parts of it.
  RatioCut cut;
  uint64_t parts = 1;
  /// Whether the cut is the tightest of all, and an algorithm may reach it.
  bool isTight = false;
  /// Collectives whose cuts are not searched exhaustively: the bound by the lengths of paths.
  PathBound paths;

  /// The volume of all messages: of an all-reduce, and of all-gather, reduce-scatter, broadcast and
  /// reduce if it takes longer than over the cut, because links are slower in one direction.
  std::optional<VolumeBound> volume;

  /// All-reduce: the cuts of reduce-scatter and all-gather, the times of which add up to what an
  /// algorithm reaches.
  std::optional<RatioCut> scatterCut, gatherCut;
  uint64_t ranks = 0;

  /// Rounded down to a picosecond. SimTime::max() if there is no path over the cut.
  SimTime cutTime(Bytes buffer) const;
  SimTime volumeTime(Bytes buffer) const { return volume ? volume->time(buffer) : SimTime(); }
  SimTime pathTime(Bytes buffer) const { return paths.time(buffer, parts); }
  /// Whether the lengths of paths allow less than the cut.
  bool isByPaths() const;
  std::optional<SimTime> twoPhaseTime(Bytes buffer) const;
  /// The largest of cut, paths and volume: the link bound.
  SimTime time(Bytes buffer) const {
    return std::max({cutTime(buffer), pathTime(buffer), volumeTime(buffer)});
  }
};

/// The bound for \p collective on the ranks of \p graph. \p machine provides the groups whose cuts
/// are tried; null: none.
LinkBound findLinkBound(const FlowGraph &graph, const Collective &collective,
                        const Machine *machine, ArrayRef<EndpointId> endpoints,
                        LinkBudget budget = {});

} // namespace cclc

#endif // CCL_BOUND_LINKBOUND_H
