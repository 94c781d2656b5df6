//===- EqualPaths.h - All shortest paths between two endpoints --*- C++ -*-===//
//
// The shortest paths to an endpoint form a directed acyclic graph: the links of each node that lead
// closer to the endpoint. It is computed when a destination is first requested.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_TARGET_EQUALPATHS_H
#define CCL_LIB_TARGET_EQUALPATHS_H

#include "cclc/Support/Grouped.h"
#include "cclc/Target/Machine.h"

#include <map>
#include <memory>
#include <mutex>

namespace cclc {

class EqualPaths {
public:
  /// With \p upDown, only paths that go up the tiers and then down; every node has a tier.
  explicit EqualPaths(bool upDown) : upDown(upDown) {}

  /// The number of paths, 0 if there is none, at most 2^32 - 1.
  uint32_t count(const Machine &machine, EndpointId src, EndpointId dst) const;

  /// Appends the path for which \p pick(node, n) selects, at each node with n > 1 choices, the
  /// number of one of them.
  void walk(const Machine &machine, EndpointId src, EndpointId dst,
            llvm::function_ref<uint32_t(NodeId, uint32_t)> pick,
            SmallVectorImpl<LinkId> &links) const;

  /// Appends path \p number of count(), in the order of their first links.
  void path(const Machine &machine, EndpointId src, EndpointId dst, uint32_t number,
            SmallVectorImpl<LinkId> &links) const;

  /// Adds the links of all paths from \p sources to \p used, like Routing::addUsedLinks().
  uint64_t addLinks(const Machine &machine, ArrayRef<EndpointId> sources, EndpointId dst,
                    llvm::BitVector &used) const;

private:
  /// A node, twice with \c upDown: before and after the path turns downwards.
  using State = uint32_t;
  struct Ways {
    Grouped links;               ///< by state: the links that lead closer to the destination
    std::vector<uint32_t> paths; ///< by state: the number of paths to the destination
  };

  const Ways &waysTo(const Machine &machine, NodeId dst) const;
  Ways compute(const Machine &machine, NodeId dst) const;
  bool goesUp(const Machine &machine, const Link &link) const;
  /// The state after \p link, from \p state.
  State after(const Machine &machine, State state, const Link &link) const;

  bool upDown;
  mutable std::mutex mutex; ///< protects destinations
  mutable std::map<uint32_t, std::unique_ptr<Ways>> destinations;
};

} // namespace cclc

#endif // CCL_LIB_TARGET_EQUALPATHS_H
