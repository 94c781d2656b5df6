#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam arity{.name = "arity",
                         .help = "number of children of a node; 1: a chain",
                         .value = 2,
                         .min = 1,
                         .max = 65535};
constexpr IntParam chunks = chunksParam(1, "number of chunks that are pipelined through the tree");
constexpr IntParam streams{.name = "streams",
                           .help = "children that a node fetches from concurrently; 0: all",
                           .value = 0,
                           .min = 0,
                           .max = 65535};

/// Node i has the children k*i+1 ... k*i+k, as far as these ranks exist.
void trace(Program &p) {
  const int R = p.ranks(), k = p.get(arity), C = p.get(chunks);
  const int T = p.get(streams) ? p.get(streams) : k;
  p.chunks(C);
  for (int r = 1; r < R; ++r)
    p.neighbour(r, cclc::Direction::Parent, (r - 1) / k);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, C).copy(r, Output, 0);

  Buffer fetched = p.scratch("fetched");
  const int innerNodes = (R - 2 + k) / k;
  for (int c = 0; c < C; ++c) {
    // Child j is fetched into place j mod T: fetches into different places overlap, and the fetch
    // from child j+T waits until j has been added. Children are added in order.
    p.phase("reduce");
    for (int node = innerNodes - 1; node >= 0; --node) {
      ChunkRef sum = p.chunk(node, Output, c);
      for (int j = 0; j < k && k * node + 1 + j < R; ++j) {
        ChunkRef child = p.chunk(k * node + 1 + j, Output, c);
        ChunkRef addend = child.copy(node, fetched, j % T * C + c);
        sum.reduce(addend, {.fuse = false});
      }
    }
    p.phase("scatter");
    for (int r = 1; r < R; ++r)
      p.chunk((r - 1) / k, Output, c).copy(r);
  }
}
} // namespace

CCLC_PROGRAM(allreduce_tree) {
  d.collective(AllReduce)
      .summary("A k-ary tree. To reduce, a node fetches from all of its children in parallel, with "
               "one threadblock per child, adds the fetched values in the order of the children, "
               "and sends the sum to its parent. Then the total is sent down the tree: a node "
               "writes to all of its children in parallel. With R-1 children this is a star.")
      .source("Myung et al., Design of Allreduce communication on NVIDIA Bluefield DPA")
      .cost("2(ceil(log_k(R(k-1)+1)) - 1) steps for k >= 2, 2(R-1) for k = 1; a node sends S to, "
            "and receives S from, its parent and each child.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(arity.tuned({2, 3, 4, 8}))
      .param(chunks)
      .param(streams.doubled(16))
      .body(trace);
}
