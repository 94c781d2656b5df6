//===- ShortestPaths.h - Routes over the links that are there ---*- C++ -*-===//
//
// The routing rule of link lists, and how every other rule gets around links that
// are missing.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_TARGET_SHORTESTPATHS_H
#define CCL_LIB_TARGET_SHORTESTPATHS_H

#include "cclc/Target/Machine.h"

#include <map>
#include <mutex>

namespace cclc {

/// The path of least propagation and overhead over the links that are present, where
/// every link counts one picosecond more; of several, each link, seen from the
/// destination, is the one with the lowest number. The tree of a source is computed
/// when first asked for.
class ShortestPathRouting : public Routing {
public:
  void route(const Machine &machine, uint32_t src, uint32_t dst,
             SmallVectorImpl<LinkId> &links) const override;
  /// Leaves the path at the node that is nearest to the destination.
  void equalRoute(const Machine &machine, uint32_t src, uint32_t dst,
                  SmallVectorImpl<LinkId> &links) const override;

private:
  /// The links by which shortest paths come into a node: the one that is taken, and the
  /// next one.
  struct WaysIn {
    OptionalId<LinkId> taken, other;
  };
  using Tree = std::vector<WaysIn>;
  /// By node, from \p source.
  const Tree &tree(const Machine &machine, NodeId source) const;
  /// The path, backwards; over the first link that is not taken if \p other, and then
  /// empty where there is none.
  void walk(const Machine &machine, uint32_t src, uint32_t dst, bool other,
            SmallVectorImpl<LinkId> &links) const;

  mutable std::mutex mutex; ///< of trees
  mutable std::map<uint32_t, Tree> trees;
};

/// Another rule, whose routes are replaced by shortest paths where a link of them is
/// missing.
class DetourRouting : public Routing {
public:
  explicit DetourRouting(std::unique_ptr<Routing> rule) : rule(std::move(rule)) {}
  void route(const Machine &machine, uint32_t src, uint32_t dst,
             SmallVectorImpl<LinkId> &links) const override;
  void equalRoute(const Machine &machine, uint32_t src, uint32_t dst,
                  SmallVectorImpl<LinkId> &links) const override;

private:
  std::unique_ptr<Routing> rule;
  ShortestPathRouting detours;
};

} // namespace cclc

#endif // CCL_LIB_TARGET_SHORTESTPATHS_H
