//===- ShortestPaths.h - Shortest paths over present links ------*- C++ -*-===//
//
// The routing rule of link lists, and detours around missing links for all other rules.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_TARGET_SHORTESTPATHS_H
#define CCL_LIB_TARGET_SHORTESTPATHS_H

#include "cclc/Target/Machine.h"

#include <map>
#include <mutex>

namespace cclc {

/// Routes along the path with the least propagation and overhead over the present links, with one
/// additional picosecond per link. Among equal paths, the one with the lowest link numbers,
/// beginning at the destination, is chosen. The tree of a source is computed on first use.
class ShortestPathRouting : public Routing {
public:
  void route(const Machine &machine, EndpointId src, EndpointId dst,
             SmallVectorImpl<LinkId> &links) const override;
  /// The alternative branches off at the node closest to the destination.
  void equalRoute(const Machine &machine, EndpointId src, EndpointId dst,
                  SmallVectorImpl<LinkId> &links) const override;

private:
  /// The links by which shortest paths enter a node: the chosen one, and the next one.
  struct WaysIn {
    OptionalId<LinkId> taken, other;
  };
  using Tree = std::vector<WaysIn>;
  /// The shortest-path tree from \p source, by node.
  const Tree &tree(const Machine &machine, NodeId source) const;
  /// Follows the path backwards. With \p other, uses the first alternative link; \p links is empty
  /// if there is none.
  void walk(const Machine &machine, EndpointId src, EndpointId dst, bool other,
            SmallVectorImpl<LinkId> &links) const;

  mutable std::mutex mutex; ///< protects trees
  mutable std::map<uint32_t, Tree> trees;
};

/// Wraps another rule and replaces routes with a missing link by shortest paths.
class DetourRouting : public Routing {
public:
  explicit DetourRouting(std::unique_ptr<Routing> rule) : rule(std::move(rule)) {}
  void route(const Machine &machine, EndpointId src, EndpointId dst,
             SmallVectorImpl<LinkId> &links) const override;
  void equalRoute(const Machine &machine, EndpointId src, EndpointId dst,
                  SmallVectorImpl<LinkId> &links) const override;

private:
  std::unique_ptr<Routing> rule;
  ShortestPathRouting detours;
};

} // namespace cclc

#endif // CCL_LIB_TARGET_SHORTESTPATHS_H
