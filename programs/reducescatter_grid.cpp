#include "GridTrees.h"
#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam chunks = chunksParam(1, "number of chunks in each tree");

void trace(Program &p) {
  GridTrees trees(p);
  const int R = p.ranks(), T = trees.count(), C = p.get(chunks);
  p.chunks(T * C);
  Buffer partial = p.scratch("partial");
  for (int own = 0; own < T * C; ++own)
    trees.forEachRoot(p, 0, [&](int root) {
      // Where the sums at rank r are formed.
      auto place = [&](int r) {
        return r == root ? std::pair(Output, own)
                         : std::pair(partial, trees.seenFrom(r, root) * T * C + own);
      };
      auto sum = [&](int r) { return p.chunk(r, place(r).first, place(r).second); };
      for (int r = 0; r < R; ++r)
        p.chunk(r, Input, root * T * C + own).copy(r, place(r).first, place(r).second);
      for (GridTrees::Edge edge : trees.toRoot(root, own / C))
        sum(edge.parent).reduce(sum(edge.child), {.priority = C - own % C});
    });
}
} // namespace

CCLC_PROGRAM(reducescatter_grid) {
  d.collective(ReduceScatter)
      .summary("For tori and meshes of any number of dimensions: the contributions to the result "
               "of a rank are added on the way to it, along the trees of allgather_grid. All "
               "links of a torus carry the same amount of data; in a mesh of two dimensions those "
               "out of a corner carry the most.")
      .source("The rotated trees of Johnsson and Ho, Optimum broadcasting and personalized "
              "communication in hypercubes, IEEE Transactions on Computers 1989, for longer "
              "dimensions")
      .cost("In a torus of w x h ranks, w+h-1 steps, in which a link carries (R-1)/(4R) S; in a "
            "mesh, w+h steps, in which a link out of a corner carries (R-1)/(2R) S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(chunks)
      .body(trace);
}
