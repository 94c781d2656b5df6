//===- NodePaths.h - Paths through the grids of nodes -----------*- C++ -*-===//
//
// A path visits all ranks of a node, each next to the one before in the grid of the node. Data that
// enter a node at any rank of the path move along it in both directions, so that every rank
// receives them once, and from a neighbour.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROGRAMS_NODEPATHS_H
#define CCL_PROGRAMS_NODEPATHS_H

#include "cclc/DSL/DSL.h"

#include <algorithm>
#include <vector>

namespace cclc::dsl {

constexpr IntParam pathChannelsParam() {
  return {.name = "channels",
          .help = "number of channels of a path; chunks are assigned round-robin",
          .value = 2,
          .min = 1,
          .max = 32};
}

class NodePaths {
public:
  /// Takes the grid of the innermost levels that form a node. Without such a grid, the path is in
  /// the order of the ranks.
  NodePaths(Program &p, int ranksPerNode) : G(ranksPerNode), shape(gridOf(p.geometry())) {
    // Reflected digits: neighbours on the path differ by one in one coordinate.
    for (int i = 0; i < G; ++i) {
      int rank = 0, left = i, stride = G;
      for (auto size = shape.rbegin(); size != shape.rend(); ++size) {
        stride /= *size;
        const int digit = left / stride;
        rank += digit * stride;
        left %= stride;
        if (digit % 2)
          left = stride - 1 - left;
      }
      order.push_back(rank);
    }
  }

  /// Copies output chunk \p index of \p from to the other ranks of its node.
  void spread(Program &p, int from, int index, Via via) const {
    const int first = from / G * G;
    const int at = int(std::find(order.begin(), order.end(), from % G) - order.begin());
    for (int step : {-1, 1})
      for (int i = at; i + step >= 0 && i + step < G; i += step)
        p.chunk(first + order[i], Output, index).copy(first + order[i + step], Output, index, via);
  }

  /// The row of a rank of the node in its grid, or 0.
  int row(int rank) const { return shape.size() < 2 ? 0 : rank / shape.front(); }

private:
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

  int G;
  std::vector<int> shape, order;
};

} // namespace cclc::dsl

#endif // CCL_PROGRAMS_NODEPATHS_H
