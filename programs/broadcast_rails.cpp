#include "Parameters.h"
#include "Rails.h"

#include <algorithm>

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);
constexpr IntParam root = rootParam("rank whose buffer is broadcast");
constexpr IntParam chunks = chunksParam(8, "number of chunks of each rail");

/// The chunks of the root's own rail are spread inside its node by the other ranks in turn: the
/// root sends every chunk only once into its node.
void trace(Program &p) {
  const Rails rails(p.get(nodes), p.get(ranksPerNode));
  const int G = rails.G, C = p.get(chunks), first = getRoot(p, root);
  p.chunks(G * C);
  p.root(first);
  p.chunk(first, Input, 0, G * C).copy(first, Output, 0);
  auto spread = [&](ChunkRef chunk) {
    p.phase("in each node");
    for (int distance = 1; distance < G; ++distance)
      if (const int to = rails.inside(chunk.rank(), distance); to != first)
        chunk.copy(to);
  };
  for (int c = 0; c < C; ++c)
    for (int rail = 0; rail < G; ++rail) {
      ChunkRef chunk = p.chunk(first, Output, rail * C + c);
      p.phase("scatter in the node of the root");
      ChunkRef inHome = chunk;
      if (G > 1)
        inHome = chunk.copy(rail ? rails.inside(first, rail) : rails.other(first, 0, c));
      if (rail)
        chunk = inHome;
      spread(inHome);
      for (int hops = 1; hops < rails.N; ++hops) {
        p.phase("rails");
        chunk = chunk.copy(rails.across(chunk.rank(), 1));
        spread(chunk);
      }
    }
}
} // namespace

CCLC_PROGRAM(broadcast_rails) {
  d.collective(Broadcast)
      .summary("For nodes whose ranks have a network adapter each: the root divides its buffer "
               "among the ranks of its node. The ranks with the same number in all nodes form a "
               "chain that passes on their part, and every rank sends the parts that it receives "
               "to the other ranks of its node.")
      .source("Barnett et al., Building a high-performance collective communication library, SC "
              "1994: scatter and collect, pipelined across nodes")
      .cost("With N nodes of G ranks, N+1 steps; the root sends S inside its node, and each of the "
            "first N-1 nodes S/G through every adapter.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .param(root)
      .param(chunks)
      .body(trace);
}
