//===- Links.h - Nodes and links of a machine -------------------*- C++ -*-===//

#ifndef CCL_TARGET_LINKS_H
#define CCL_TARGET_LINKS_H

#include "cclc/Support/Ids.h"
#include "cclc/Support/Units.h"

#include <optional>
#include <string>

namespace cclc {

struct Node {
  std::string name;
  /// The time that a message takes to pass the node.
  SimTime overhead;
  /// Whether the node receives a whole message before it forwards it, even if other nodes forward
  /// flit by flit.
  bool reassembles = false;
  /// The distance from the endpoints in a tree of switches, for the rule `up-down`.
  std::optional<uint32_t> tier;
};

struct Link {
  NodeId from, to;
  Bandwidth bandwidth;
  SimTime propagation;
  /// A missing link keeps its number, but no route uses it.
  bool present = true;
  /// The link in the opposite direction.
  OptionalId<LinkId> reverse;
  /// The number of the link among those between the same nodes, from 1; 0 if there is one.
  uint32_t parallel = 0;
};

} // namespace cclc

#endif // CCL_TARGET_LINKS_H
