#include "NodePaths.h"
#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);
constexpr IntParam root = rootParam("rank whose buffer is broadcast");
constexpr IntParam chunks = chunksParam(32);
constexpr IntParam channels = pathChannelsParam();

void trace(Program &p) {
  const Rails rails(p.get(nodes), p.get(ranksPerNode));
  const NodePaths paths(p, rails, p.get(channels));
  const int C = p.get(chunks), first = getRoot(p, root);
  p.chunks(C);
  p.root(first);
  p.chunk(first, Input, 0, C).copy(first, Output, 0);
  for (int c = 0; c < C; ++c)
    for (int hops = 0; hops < rails.N; ++hops)
      paths.spread(p, first, c, c, hops);
}
} // namespace

CCLC_PROGRAM(broadcast_paths) {
  d.collective(Broadcast)
      .summary("For nodes whose ranks communicate with few peers: the chunks pass along paths "
               "through the grid of the root's node in both directions. From the ends of a path "
               "they move to the ranks with the same numbers in the next node, from which they "
               "pass along the path there.")
      .source("Barnett et al., Building a high-performance collective communication library, SC "
              "1994: scatter and collect in linear arrays, pipelined across nodes")
      .cost("With N nodes of G ranks, at most NG-1 steps; a rank receives S once, most of it from "
            "two neighbours.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .param(root)
      .param(chunks)
      .param(channels)
      .body(trace);
}
