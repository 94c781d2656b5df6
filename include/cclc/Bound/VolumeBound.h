//===- VolumeBound.h - All messages of a collective together ----*- C++ -*-===//
//
// A value that G ranks need takes G-1 messages, and so does a sum of the values of G ranks. Each
// message leaves a rank and enters another one, over the links of ranks. The same holds for groups
// of ranks, such as nodes. Where links have equal rates in both directions, the cuts around the
// groups say the same about collectives with one phase. A switch that multicasts lets one message
// leave for all groups, and one that adds lets one sum enter.
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

/// The messages between groups that an element of a collective takes.
struct MessagesOfElement {
  bool sums = false;       ///< the values of all groups are added
  bool spreads = false;    ///< all groups need the value
  bool multicasts = false; ///< a switch delivers one message to several groups
  bool adds = false;       ///< a switch adds the messages of several groups

  uint64_t leaving(uint64_t groups) const;
  uint64_t entering(uint64_t groups) const;
};

/// The tightest bound for the groups that all ranks are, and that the members of each level of
/// \p machine are, which may be null. Its switches complete \p messages. \p trials is the work that
/// may be spent on levels. Unset if no link limits the volume.
std::optional<VolumeBound> findVolumeBound(const FlowGraph &graph, MessagesOfElement messages,
                                           const Machine *machine, ArrayRef<EndpointId> endpoints,
                                           uint64_t &trials);

} // namespace cclc

#endif // CCL_BOUND_VOLUMEBOUND_H
