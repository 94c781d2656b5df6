//===- NodePaths.h - Paths through the grids of nodes -----------*- C++ -*-===//
//
// A path visits all ranks of a node, each next to the one before in the grid of the node. Data that
// enter a node at any rank of the path move along it in both directions, so that every rank
// receives them once, and from a neighbour.
//
// The paths of a node, one for each channel, are the same cycle, cut at different places: path k
// leads from member 2k+1 of the cycle to member 2k. Data enter and leave nodes at the ends of
// paths. A rank in the middle would have two sends for each chunk that it receives, and one stream
// has no time for both. At an end, every send continues a receive. The cycle begins with the first
// row of the grid, which is nearest to the other nodes. Without a cycle, all paths are the same.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROGRAMS_NODEPATHS_H
#define CCL_PROGRAMS_NODEPATHS_H

#include "Rails.h"

#include <vector>

namespace cclc::dsl {

constexpr IntParam pathChannelsParam() {
  return {.name = "channels",
          .help = "number of paths, each with its channel; chunks are assigned round-robin",
          .value = 2,
          .min = 1,
          .max = 32};
}

class NodePaths {
public:
  /// Takes the grid of the innermost levels that form a node. Without such a grid, the cycle is in
  /// the order of the ranks.
  NodePaths(Program &p, const Rails &rails, int count) : rails(rails), G(rails.G), K(count) {
    const std::vector<int> sizes = gridOf(p.geometry());
    const int height = sizes.size() > 1 ? sizes.back() : 1, width = G / height;
    const std::vector<int> row = snake(sizes, width);
    auto add = [&](int x, int y) { order.push_back(row[x] + width * y); };
    for (int x = 0; x < width; ++x)
      add(x, 0);
    if (height % 2 == 0 && width > 1) {
      for (int y = 1; y < height; ++y)
        for (int x = 1; x < width; ++x)
          add(y % 2 ? width - x : x, y);
      for (int y = height - 1; y > 0; --y)
        add(0, y);
    } else if (width % 2 == 0) {
      for (int x = width - 1; x >= 0; --x)
        for (int y = 1; y < height; ++y)
          add(x, x % 2 ? y : height - y);
    } else {
      isCycle = height == 1;
      for (int y = 1; y < height; ++y)
        for (int x = 0; x < width; ++x)
          add(y % 2 ? width - 1 - x : x, y);
    }
  }

  /// Chunks alternate between the ends of the paths, then between the paths.
  int path(int chunk) const { return chunk / 2 % K; }
  /// The number in its node of the rank at which \p chunk leaves the first node: \p distance = 0.
  /// Larger distances are those of the others on its path.
  int exit(int chunk, int distance = 0) const {
    return rank(path(chunk), chunk % 2 ? distance : G - 1 - distance);
  }

  /// Copies output chunk \p index, which has the number \p chunk, from \p rank of the node \p hops
  /// - 1 before its own to \p rank's node; with \p hops = 0 it is there. Then copies it to the
  /// other ranks of this node. \p origin: the rank that had the chunk first.
  void spread(Program &p, int origin, int chunk, int index, int hops, int priority = 0) const {
    const Via via = {.channel = path(chunk), .priority = priority};
    int from = origin;
    if (hops) {
      // The path through a node ends where that through the node before it begins.
      const int gate = rails.inNodeOf(origin, exit(chunk ^ (hops + 1) % 2));
      from = rails.across(gate, hops);
      p.phase("rails");
      p.chunk(rails.across(gate, hops - 1), Output, index).copy(from, Output, index, via);
    }
    p.phase("in each node");
    const int first = from / G * G;
    int at = 0;
    while (rank(path(chunk), at) != from % G)
      ++at;
    for (int step : {-1, 1})
      for (int i = at; i + step >= 0 && i + step < G; i += step) {
        ChunkRef passing = p.chunk(first + rank(path(chunk), i), Output, index);
        passing.copy(first + rank(path(chunk), i + step), Output, index, via);
      }
  }

private:
  /// The number in its node of the rank at \p position of a path.
  int rank(int path, int position) const {
    return order[(position + (isCycle ? 2 * path + 1 : 0)) % G];
  }

  /// The sizes of the dimensions, the one in which rank numbers vary fastest first.
  std::vector<int> gridOf(const Geometry &geometry) const {
    std::vector<int> sizes;
    int product = 1;
    for (auto level = geometry.levels.rbegin(); level != geometry.levels.rend(); ++level)
      for (uint32_t size : {level->width, level->height})
        if (size > 1 && product < G) {
          sizes.push_back(int(size));
          product *= int(size);
        }
    return product == G ? sizes : std::vector<int>{G};
  }
  /// The first \p count ranks in reflected digits: those in sequence differ by one in one
  /// coordinate.
  static std::vector<int> snake(const std::vector<int> &sizes, int count) {
    std::vector<int> ranks = {0};
    for (int size : sizes) {
      const int n = int(ranks.size());
      for (int i = 1; i < size && n < count; ++i)
        for (int k = 0; k < n; ++k)
          ranks.push_back(i * n + ranks[i % 2 ? n - 1 - k : k]);
    }
    return ranks;
  }

  Rails rails;
  int G, K;
  std::vector<int> order;
  bool isCycle = true;
};

} // namespace cclc::dsl

#endif // CCL_PROGRAMS_NODEPATHS_H
