#include "GridTrees.h"
#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam chunks = chunksParam(1, "number of chunks in each tree");

void trace(Program &p) {
  GridTrees trees(p);
  const int T = trees.count(), C = p.get(chunks);
  p.chunks(T * C);
  trees.forEachRoot(
      p, 0, [&](int root) { p.chunk(root, Input, 0, T * C).copy(root, Output, root * T * C); });
  for (int tree = 0; tree < T; ++tree)
    trees.forEachRoot(p, 0, [&](int root) {
      for (GridTrees::Edge edge : trees.fromRoot(root, tree))
        for (int c = 0; c < C; ++c) {
          ChunkRef part = p.chunk(edge.parent, Output, (root * T + tree) * C + c);
          part.copy(edge.child, {.priority = C - c});
        }
    });
}
} // namespace

CCLC_PROGRAM(allgather_grid) {
  d.collective(AllGather)
      .summary("For tori and meshes of any number of dimensions: every rank broadcasts its "
               "contribution through several spanning trees, which together use all dimensions "
               "and directions. All links of a torus carry the same amount of data; in a mesh of "
               "two dimensions those into a corner carry the most.")
      .source("The rotated trees of Johnsson and Ho, Optimum broadcasting and personalized "
              "communication in hypercubes, IEEE Transactions on Computers 1989, for longer "
              "dimensions")
      .cost("In a torus of w x h ranks, w+h-1 steps, in which a link carries (R-1)/(4R) S; in a "
            "mesh, w+h steps, in which a link into a corner carries (R-1)/(2R) S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(chunks)
      .body(trace);
}
