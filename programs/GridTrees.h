//===- GridTrees.h - Spanning trees of tori and meshes ----------*- C++ -*-===//
//
// Every rank is the root of several spanning trees of the grid of ranks:
//
//   for (GridTrees::Edge edge : trees.fromRoot(root, tree))
//     p.chunk(edge.parent, Output, tree).copy(edge.child);
//
// A torus of n dimensions has 2n trees for each root, a mesh has n. No two trees of a root use the
// same link in the same direction. Over all roots, every link of a torus carries the same number of
// trees, and in a mesh of two dimensions no link carries more of them than those into a corner.
//
// Tree k leads from the root along dimension k, then to the other ranks that differ from the root
// in this coordinate, along the dimensions k+1, k+2, ... The ranks with the same coordinate k as
// the root come last, along dimension k. A rank is thus entered along a different dimension in
// every tree: of the dimensions in which it differs from the root, tree k uses the one that
// precedes k cyclically; a dimension in which it does not differ is used by its own tree. In a
// torus, n of the trees follow the rings upwards and n downwards.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROGRAMS_GRIDTREES_H
#define CCL_PROGRAMS_GRIDTREES_H

#include "cclc/DSL/DSL.h"

#include <algorithm>
#include <vector>

namespace cclc::dsl {

class GridTrees {
public:
  struct Edge {
    int parent, child;
  };
  struct Dimension {
    int size, stride;
    bool wraps;
    int coordinate(int rank) const { return rank / stride % size; }
  };

  /// Takes the grid of the target. The members of a flat level form a ring; ranks without any
  /// structure form a torus that is as close to a square as possible.
  explicit GridTrees(Program &p) : ranks(p.ranks()) {
    const std::vector<GridLevel> &levels = p.geometry().levels;
    isFound = std::any_of(levels.begin(), levels.end(),
                          [](const GridLevel &level) { return level.kind != GridKind::Flat; });
    if (p.geometry().isFlat() && !isFound) {
      int height = 1;
      for (int divisor = 1; divisor * divisor <= ranks; ++divisor)
        height = ranks % divisor == 0 ? divisor : height;
      add(ranks / height, true);
      add(height, true);
      return;
    }
    for (auto level = levels.rbegin(); level != levels.rend(); ++level)
      for (uint32_t size : {level->width, level->height})
        add(int(size), level->kind != GridKind::Mesh2DNoWrap);
  }

  /// Whether a level of the target is a ring, torus or mesh.
  bool isOfTarget() const { return isFound; }

  /// The dimensions with more than one rank, the one in which rank numbers vary fastest first.
  const std::vector<Dimension> &shape() const { return dimensions; }

  /// The number of trees of a root. Without a ring of more than two ranks there is one direction.
  int count() const {
    bool twoWays = std::any_of(dimensions.begin(), dimensions.end(),
                               [](const Dimension &d) { return d.wraps && d.size > 2; });
    return std::max(int(dimensions.size()), 1) * (twoWays ? 2 : 1);
  }

  /// The edges of a tree, those near the root first.
  std::vector<Edge> fromRoot(int root, int tree) const {
    std::vector<int> depth(ranks, 0);
    std::vector<Edge> edges;
    for (int rank = 0; rank < ranks; ++rank)
      if (rank != root) {
        edges.push_back({parentOf(rank, root, tree), rank});
        for (int at = rank; at != root; at = parentOf(at, root, tree))
          ++depth[rank];
      }
    std::sort(edges.begin(), edges.end(), [&](const Edge &a, const Edge &b) {
      return std::pair(depth[a.child], a.child) < std::pair(depth[b.child], b.child);
    });
    return edges;
  }

  /// The edges of a tree in reverse order, for reductions to the root.
  std::vector<Edge> toRoot(int root, int tree) const {
    std::vector<Edge> edges = fromRoot(root, tree);
    std::reverse(edges.begin(), edges.end());
    return edges;
  }

  /// The edges from \p rank to the other ranks of its ring or line in dimension \p d, those near it
  /// first: upwards or downwards in a ring, in both directions in a line.
  static std::vector<Edge> along(const Dimension &d, int rank, bool upwards) {
    std::vector<Edge> edges;
    const int at = d.coordinate(rank);
    auto enter = [&](int coordinate) {
      const int child = rank + (coordinate - at) * d.stride;
      edges.push_back({previous(child, rank, d, upwards), child});
    };
    for (int i = 1; i < d.size; ++i) {
      if (d.wraps)
        enter((at + (upwards ? i : d.size - i)) % d.size);
      else {
        if (i <= at)
          enter(at - i);
        if (at + i < d.size)
          enter(at + i);
      }
    }
    return edges;
  }

  /// The number of \p rank seen from \p origin in a torus: 0 for itself. It is the same for two
  /// other ranks that are as far from each other in every dimension.
  int seenFrom(int origin, int rank) const {
    int seen = 0;
    for (const Dimension &d : dimensions)
      seen += (d.coordinate(rank) - d.coordinate(origin) + d.size) % d.size * d.stride;
    return seen;
  }

  /// Calls body(root) for every rank. In a torus it is called for rank 0, and repeated for the
  /// others; consecutive ranks own \p chunks successive chunks of a buffer that all ranks have.
  template <class Body> void forEachRoot(Program &p, int chunks, Body body) const {
    std::vector<Rotation> rotations;
    for (auto d = dimensions.rbegin(); d != dimensions.rend(); ++d)
      if (d->wraps || d->size == 2)
        rotations.push_back({.ranks = d->size, .stride = d->stride, .chunks = d->stride * chunks});
    if (rotations.size() == dimensions.size())
      p.orbit(rotations, [&] { body(0); });
    else
      for (int root = 0; root < ranks; ++root)
        body(root);
  }

private:
  void add(int size, bool wraps) {
    if (size > 1)
      dimensions.push_back({size, stride, wraps});
    stride *= size;
  }

  int parentOf(int rank, int root, int tree) const {
    const int n = int(dimensions.size()), k = tree % n;
    auto differs = [&](int d) {
      return dimensions[d].coordinate(rank) != dimensions[d].coordinate(root);
    };
    int along = k;
    if (differs(k))
      do
        along = (along + n - 1) % n;
      while (!differs(along));
    return previous(rank, root, dimensions[along], tree < n);
  }

  /// The neighbour of \p rank in dimension \p d from which a tree of \p root enters it.
  static int previous(int rank, int root, const Dimension &d, bool upwards) {
    const int at = d.coordinate(rank), from = d.coordinate(root);
    int to;
    if (d.wraps)
      to = (at + (upwards ? d.size - 1 : 1)) % d.size;
    else if (at == from)
      to = at + 1 < d.size ? at + 1 : at - 1;
    else
      to = at > from ? at - 1 : at + 1;
    return rank + (to - at) * d.stride;
  }

  int ranks;
  int stride = 1;
  bool isFound = true;
  std::vector<Dimension> dimensions;
};

} // namespace cclc::dsl

#endif // CCL_PROGRAMS_GRIDTREES_H
