//===- NodeMap.h - The nodes of the ranks of a plan -------------*- C++ -*-===//

#ifndef CCL_MSCCLPP_EMIT_NODEMAP_H
#define CCL_MSCCLPP_EMIT_NODEMAP_H

#include "cclc/Support/Ids.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace cclc::mscclpp {

/// The node of every rank. Memory channels connect ranks of one node, port channels those of
/// different nodes.
class NodeMap {
public:
  /// All ranks are in one node.
  NodeMap() = default;
  /// \p nodes is by rank.
  explicit NodeMap(std::vector<uint32_t> nodes) : nodes(std::move(nodes)) {}

  bool isOne() const {
    return std::adjacent_find(nodes.begin(), nodes.end(), std::not_equal_to<>()) == nodes.end();
  }

  bool areInOneNode(RankId a, RankId b) const {
    return nodes.empty() || nodes[a.index()] == nodes[b.index()];
  }

private:
  std::vector<uint32_t> nodes;
};

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_EMIT_NODEMAP_H
