#include "GridTrees.h"
#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam chunks = chunksParam(4, "number of chunks in each tree");

/// Reductions have the higher priority, in the order of the chunks.
void trace(Program &p) {
  GridTrees trees(p);
  const int R = p.ranks(), T = trees.count(), C = p.get(chunks), all = R * T * C;
  p.chunks(all);
  trees.forEachRoot(p, T, [&](int root) { p.chunk(root, Input, 0, all).copy(root, Output, 0); });
  // Chunk c of a tree.
  auto forEachTree = [&](auto body) {
    for (int c = 0; c < C; ++c)
      for (int tree = 0; tree < T; ++tree)
        trees.forEachRoot(p, T, [&](int root) { body(root, tree, (c * R + root) * T + tree, c); });
  };
  p.phase("reduce");
  forEachTree([&](int root, int tree, int chunk, int c) {
    auto at = [&](int rank) { return p.chunk(rank, Output, chunk); };
    for (GridTrees::Edge edge : trees.toRoot(root, tree))
      at(edge.parent).reduce(at(edge.child), {.priority = C - c});
  });
  p.phase("broadcast");
  forEachTree([&](int root, int tree, int chunk, int) {
    for (GridTrees::Edge edge : trees.fromRoot(root, tree))
      p.chunk(edge.parent, Output, chunk).copy(edge.child);
  });
}
} // namespace

CCLC_PROGRAM(allreduce_grid) {
  d.collective(AllReduce)
      .summary("For tori and meshes of any number of dimensions: each part of the buffer is "
               "reduced to a rank along several trees, which together use all dimensions and "
               "directions, and broadcast along the same trees.")
      .source("The rotated trees of Johnsson and Ho, Optimum broadcasting and personalized "
              "communication in hypercubes, IEEE Transactions on Computers 1989, for longer "
              "dimensions")
      .cost("In a torus of w x h ranks, 2(w+h-1) steps, in which a link carries (R-1)/(2R) S; in a "
            "mesh, 2(w+h) steps, in which a link of a corner carries (R-1)/R S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(chunks)
      .body(trace);
}
