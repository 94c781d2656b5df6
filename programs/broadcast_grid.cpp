#include "GridTrees.h"
#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam root = rootParam("rank whose buffer is broadcast");
constexpr IntParam chunks = chunksParam(16, "number of chunks in each tree");

void trace(Program &p) {
  GridTrees trees(p);
  const int T = trees.count(), first = getRoot(p, root), C = p.get(chunks);
  p.chunks(T * C);
  p.root(first);
  p.chunk(first, Input, 0, T * C).copy(first, Output, 0);
  for (int c = 0; c < C; ++c)
    for (int tree = 0; tree < T; ++tree)
      for (GridTrees::Edge edge : trees.fromRoot(first, tree))
        p.chunk(edge.parent, Output, c * T + tree).copy(edge.child);
}
} // namespace

CCLC_PROGRAM(broadcast_grid) {
  d.collective(Broadcast)
      .summary("For tori and meshes of any number of dimensions: the root sends an equal part of "
               "its buffer into each of several spanning trees that have no link in common, in a "
               "torus as many as a rank has links, in a mesh as many as a corner has. Chunks are "
               "pipelined through the trees.")
      .source("The rotated trees of Johnsson and Ho, Optimum broadcasting and personalized "
              "communication in hypercubes, IEEE Transactions on Computers 1989, for longer "
              "dimensions")
      .cost("With T trees of C chunks each, in a torus of w x h ranks C + w+h-2 steps; a link "
            "carries at most S/T.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(root)
      .param(chunks)
      .body(trace);
}
