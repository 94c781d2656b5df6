//===- PathBound.h - Bounds by the lengths of paths -------------*- C++ -*-===//
//
// Give every arc of a flow graph a length. A part that moves between two ranks takes a path, whose
// length is at least the distance of the ranks. So if the parts of all pairs are multiplied by
// their distances, the links must carry at least the sum, where an arc carries its rate times its
// length per second. Any lengths result in a lower bound on the time of all plans, and those with
// the largest one in the time of the best fractional paths: the dual of the maximum concurrent flow
// (Shahrokhi and Matula, The maximum concurrent flow problem, J. ACM 37(2), 1990). The lengths 1 on
// the arcs of a cut and 0 elsewhere result in the bound of the cut.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_PATHBOUND_H
#define CCL_BOUND_PATHBOUND_H

#include "cclc/Bound/FlowGraph.h"

namespace cclc {

/// Parts of the data of a rank that have to reach other ranks. If there are several, switches do
/// not copy the data, but ranks may: the parts have to reach the farthest one.
struct PathDemand {
  uint32_t from;
  uint64_t parts;
  SmallVector<uint32_t, 1> to;
};

struct PathBound {
  /// The certificate: a length for each arc, 0 for arcs of unlimited rate. Empty without a bound.
  std::vector<uint64_t> lengths;
  /// The sum over the demands of parts times distance.
  Wide needed = 0;
  /// The sum over the arcs of the bytes per second times the length.
  Wide offered = 0;
  /// The time of the best fractional paths that were found over the bound, if these are known.
  std::optional<double> gap;

  /// The lower bound on the time, rounded down to a picosecond, if a part is 1/\p parts of
  /// \p buffer.
  SimTime time(Bytes buffer, uint64_t parts) const;
};

/// The bound for given lengths, which are 0 for arcs of unlimited rate. Without a bound if there is
/// no path for some demand.
PathBound boundOfLengths(const FlowGraph &graph, ArrayRef<PathDemand> demands,
                         std::vector<uint64_t> lengths);

/// Searches the lengths with the largest bound, with about \p budget visits of arcs. Without a
/// bound if that is too little.
PathBound findPathBound(const FlowGraph &graph, ArrayRef<PathDemand> demands, uint64_t budget);

} // namespace cclc

#endif // CCL_BOUND_PATHBOUND_H
