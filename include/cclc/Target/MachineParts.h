//===- MachineParts.h - Parts of a machine that can fail --------*- C++ -*-===//
//
// The cables, network interfaces and ranks of a machine, and the machine without one of them: the
// links of the part are off, and the routing rule finds routes around them.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TARGET_MACHINEPARTS_H
#define CCL_TARGET_MACHINEPARTS_H

#include "cclc/Target/Loader.h"

namespace cclc {

enum class PartKind : uint8_t { Link, Nic, Rank };
/// "link", "nic", "rank", in this order.
inline constexpr const char *partNames[] = {"link", "nic", "rank"};

struct MachinePart {
  std::string name;          ///< "node0.gpu0 <-> node0.nic0", "node0.nic0"
  std::vector<LinkId> links; ///< in both directions
  std::optional<uint32_t> rank;
};

/// The present parts of a kind, in the order of \p machine. A link includes the one in the opposite
/// direction. A NIC is a node that is no endpoint and whose name ends with "nic" and a number. The
/// ranks are those on \p endpoints.
std::vector<MachinePart> partsOf(const Machine &machine, PartKind kind,
                                 ArrayRef<EndpointId> endpoints);

/// The present links from and to \p nodes.
std::vector<LinkId> linksAt(const Machine &machine, ArrayRef<NodeId> nodes);

/// \p request, by which \p machine was loaded, for the same machine with \p off turned off.
TargetRequest requestWithout(const Machine &machine, TargetRequest request, ArrayRef<LinkId> off);

} // namespace cclc

#endif // CCL_TARGET_MACHINEPARTS_H
