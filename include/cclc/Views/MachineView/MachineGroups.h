//===- MachineGroups.h - The parts of a machine -----------------*- C++ -*-===//
//
// Pictures of large machines show groups of consecutive endpoints as one box. The groups are the
// members of the levels of the geometry, and the subtrees below the switches of a tier. Where a
// group has more than \c mostSiblings members, blocks of consecutive members are groups between
// them.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_VIEWS_MACHINEVIEW_MACHINEGROUPS_H
#define CCL_VIEWS_MACHINEVIEW_MACHINEGROUPS_H

#include "cclc/Target/Machine.h"

namespace cclc {

struct MachineGroups {
  /// The maximum number of members of a group.
  static constexpr uint32_t mostSiblings = 32;

  struct Group {
    std::string name;        ///< "node3", "tier0.7", "tier1 5", "n0 to n31"
    bool isNumbered = false; ///< whether the name is a number of the level
    OptionalIndex parent;    ///< unset: the machine
    uint32_t depth = 0;      ///< number of levels around it
    uint32_t first, count;   ///< endpoints
  };
  /// A group follows the group that contains it. Groups have at least two endpoints and fewer than
  /// the group around them.
  std::vector<Group> groups;
  /// By node: the smallest group that contains it. A node between endpoints belongs to the smallest
  /// group with all endpoints below it.
  std::vector<OptionalIndex> ofNode;
  /// By node: the distance from the endpoints in a tree of switches: that of the target file,
  /// above the hosts, if it has one, otherwise the minimum number of links to an endpoint.
  std::vector<uint32_t> tiers;
};

MachineGroups findGroups(const Machine &machine);

} // namespace cclc

#endif // CCL_VIEWS_MACHINEVIEW_MACHINEGROUPS_H
