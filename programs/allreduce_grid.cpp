#include "GridTrees.h"
#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam chunks =
    chunksParam(1, "number of chunks in each tree, twice as many in a ring or line");
constexpr IntParam batch = IntParam{.name = "batch",
                                    .help = "most chunks of an operation; 0: in a grid those of "
                                            "all roots that share an edge, otherwise 1",
                                    .value = 0,
                                    .min = 0,
                                    .max = 65536}
                               .tuned({0, 1, 4});

/// A tree of every rank, which is its root: it leads from the root along the first dimension, from
/// these ranks along the second, and so on. Roots that differ in the first dimensions only have the
/// edges along the next one in common. They have successive numbers, so that one operation moves
/// the chunks of all of them.
struct SharedTrees {
  std::vector<GridTrees::Dimension> order;
  bool upwards;
  int share = 1; ///< the chunks of a root
  int first = 0; ///< of the chunks of all roots

  /// The first chunk of the roots that differ from \p rank in the first \p dimensions only, and the
  /// number of their chunks.
  std::pair<int, int> chunksOf(int rank, int dimensions) const {
    int number = 0, roots = 1, stride = 1;
    for (int k = 0; k < int(order.size()); stride *= order[k++].size)
      if (k < dimensions)
        roots *= order[k].size;
      else
        number += order[k].coordinate(rank) * stride;
    return {first + number * share, roots * share};
  }
};

/// The numbers of chunks of a root for the trees that begin with each dimension, up to \p most in
/// total, with the least load on a link for each chunk. They are 1 if all dimensions have the same
/// size.
std::vector<int> sharesOf(const GridTrees &grid, int most) {
  const std::vector<GridTrees::Dimension> &shape = grid.shape();
  const int n = int(shape.size());
  std::vector<int> shares(n, 0), best(n, 1);
  std::vector<int64_t> loads(n, 0);
  auto with = [&](int tree) {
    std::vector<int64_t> sum = loads;
    int64_t roots = 1;
    for (int k = 0; k < n; ++k) {
      const GridTrees::Dimension &d = shape[(tree + k) % n];
      // Every link of a line carries chunks of all of its ranks, outwards or inwards.
      sum[(tree + k) % n] += (d.wraps && d.size > 2 ? d.size - 1 : d.size) * roots;
      roots *= d.size;
    }
    return sum;
  };
  auto highest = [](const std::vector<int64_t> &loads) {
    return *std::max_element(loads.begin(), loads.end());
  };
  int64_t bestLoad = 0, bestTotal = 0;
  for (int total = 1; total <= most; ++total) {
    int next = 0;
    for (int tree = 1; tree < n; ++tree)
      if (highest(with(tree)) < highest(with(next)))
        next = tree;
    loads = with(next);
    ++shares[next];
    if (bestTotal == 0 || highest(loads) * bestTotal < bestLoad * total) {
      bestLoad = highest(loads);
      bestTotal = total;
      best = shares;
    }
  }
  return best;
}

/// The trees in all directions and orders of the dimensions.
std::vector<SharedTrees> sharedTrees(const GridTrees &grid, int ranks) {
  const int n = int(grid.shape().size());
  std::vector<SharedTrees> all;
  if (n == 0)
    return {{{}, true}};
  // Machines of thousands of ranks have too many chunks for fine shares; others have no lines.
  const int directions = grid.count() / n, fit = (1 << 26) / ranks / ranks / directions;
  const std::vector<int> shares = grid.isOfTarget()
                                      ? sharesOf(grid, std::max(n, std::min(16 * n, fit)))
                                      : std::vector<int>(n, 1);
  for (int tree = 0, first = 0; tree < grid.count(); ++tree) {
    if (shares[tree % n] == 0)
      continue;
    SharedTrees trees{grid.shape(), tree < n, shares[tree % n], first};
    std::rotate(trees.order.begin(), trees.order.begin() + tree % n, trees.order.end());
    first += trees.share * ranks;
    all.push_back(std::move(trees));
  }
  return all;
}

/// Reductions have the higher priority, in the order of the chunks. Of one chunk, operations near
/// the root have the higher priority: others of the broadcast wait for them.
void trace(Program &p) {
  const GridTrees grid(p);
  const std::vector<SharedTrees> all = sharedTrees(grid, p.ranks());
  // In a ring there are no trees of other dimensions that use the links while a rank reduces.
  const int R = p.ranks(), n = int(grid.shape().size()), C = p.get(chunks) * (n < 2 ? 2 : 1);
  const int given = p.get(batch);
  const int perRound = all.back().first + all.back().share * R;
  auto forEachRank = [&](auto body) {
    if (n < 2)
      return grid.forEachRoot(p, 1, body);
    for (int rank = 0; rank < R; ++rank)
      body(rank);
  };
  // The edges of each line along a dimension, for one batch of the roots' chunks after the other.
  // All ranks of a ring send before they receive: an operation of many chunks hangs where a
  // connection holds fewer of them.
  auto forEachLine = [&](const SharedTrees &trees, int c, int k, auto body) {
    const int all = trees.chunksOf(0, k).second;
    const int most = given > 0 ? given : grid.isOfTarget() ? all : 1;
    for (int done = 0; done < all; done += most)
      forEachRank([&](int root) {
        const int first = c * perRound + trees.chunksOf(root, k).first + done;
        body(GridTrees::along(trees.order[k], root, trees.upwards), first,
             std::min(most, all - done));
      });
  };
  p.chunks(C * perRound);
  forEachRank([&](int rank) { p.chunk(rank, Input, 0, C * perRound).copy(rank, Output, 0); });
  p.phase("reduce");
  for (int c = 0; c < C; ++c)
    for (const SharedTrees &trees : all)
      for (int k = n; k-- > 0;)
        forEachLine(trees, c, k, [&](const auto &line, int first, int count) {
          auto at = [&](int rank) { return p.chunk(rank, Output, first, count); };
          for (auto edge = line.rbegin(); edge != line.rend(); ++edge)
            at(edge->parent).reduce(at(edge->child), {.priority = (C - c + 1) * 2 * n - k});
        });
  p.phase("broadcast");
  for (int c = 0; c < C; ++c)
    for (const SharedTrees &trees : all)
      for (int k = 0; k < n; ++k)
        forEachLine(trees, c, k, [&](const auto &line, int first, int count) {
          for (GridTrees::Edge edge : line)
            p.chunk(edge.parent, Output, first, count).copy(edge.child, {.priority = n - 1 - k});
        });
}
} // namespace

CCLC_PROGRAM(allreduce_grid) {
  d.collective(AllReduce)
      .summary("For tori and meshes of any number of dimensions: each part of the buffer is "
               "reduced to a rank along trees that pass one dimension after the other, and "
               "broadcast along the same trees. The trees begin with different dimensions and "
               "directions, so that they use all links at the same time.")
      .source("The multiported dimension-ordered trees of Jain and Sabharwal, Optimal bucket "
              "algorithms for large MPI collectives on torus interconnects, ICS 2010")
      .cost(
          "In a torus or mesh of w x h ranks, 2(w+h-2) steps. If w = h, a link carries (R-1)/(2R) "
          "S "
          "in the torus and (w+1)/(2w) S in the mesh; otherwise the trees have parts of different "
          "sizes, so that no link carries over 2 % more than the mean.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(chunks)
      .param(batch)
      .body(trace);
}
