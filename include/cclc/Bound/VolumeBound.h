//===- VolumeBound.h - All messages of a collective together ----*- C++ -*-===//
//
// A value that G ranks need takes G-1 messages, and so does a sum of the values of G ranks. Each
// message leaves a rank and enters another one, over the links of ranks. The same holds for groups
// of ranks, such as nodes. Where links have equal rates in both directions, the cuts around the
// groups say the same about collectives with one phase.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_VOLUMEBOUND_H
#define CCL_BOUND_VOLUMEBOUND_H

#include "cclc/Bound/FlowGraph.h"

namespace cclc {

/// Messages of \c buffers buffers in total pass links of \c rate in total.
struct VolumeBound {
  uint64_t buffers = 0;
  Bandwidth rate;      ///< of the links out of all groups, or into them
  bool enters = false; ///< whether it is those into the groups
  uint64_t groups = 0;
  std::string level; ///< of the machine whose members are the groups; empty: the ranks

  /// Rounded down to a picosecond.
  SimTime time(Bytes buffer) const;
  /// "the links out of all ranks, which 22 buffers in total have to leave".
  std::string text() const;
  bool isTighterThan(const VolumeBound &other) const;
};

/// The tightest bound for a collective that takes \p phases * (G-1) messages between G groups:
/// those of all ranks, and the members of each level of \p machine, which may be null. \p trials is
/// the work that may be spent on levels. Unset if no link limits the volume.
std::optional<VolumeBound> findVolumeBound(const FlowGraph &graph, unsigned phases,
                                           const Machine *machine, ArrayRef<EndpointId> endpoints,
                                           uint64_t &trials);

} // namespace cclc

#endif // CCL_BOUND_VOLUMEBOUND_H
