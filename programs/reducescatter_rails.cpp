#include "Parameters.h"
#include "Rails.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);
constexpr IntParam chunks = chunksParam(4, "number of chunks of each rank's result");

/// The sums for other nodes come first. A rank adds those that it receives before the chunks of its
/// own node, so that they do not occupy slots while these are still on their way.
void trace(Program &p) {
  const Rails rails(p.get(nodes), p.get(ranksPerNode));
  const int C = p.get(chunks);
  p.chunks(C);
  Buffer partial = p.scratch("partial");
  rails.forEachRank(p, 0, [&] { p.chunk(0, Input, 0, C).copy(0, Output, 0); });
  for (int hops = rails.N - 1; hops >= 0; --hops)
    for (int c = 0; c < C; ++c)
      rails.forEachRank(p, 0, [&] {
        const int at = rails.across(0, hops);
        p.phase("in each node");
        ChunkRef sum = hops ? p.chunk(at, Input, c).copy(at, partial, (hops - 1) * C + c)
                            : p.chunk(0, Output, c);
        for (int i = 0; i < rails.G - 1; ++i)
          sum = sum.reduce(p.chunk(rails.other(at, i, c), Input, c),
                           {.channel = 0, .priority = (hops + 1) * C - c});
        p.phase("rails");
        if (hops)
          p.chunk(0, Output, c).reduce(sum, {.channel = rails.channel(rails.N - hops)});
      });
}
} // namespace

CCLC_PROGRAM(reducescatter_rails) {
  d.collective(ReduceScatter)
      .summary("For nodes whose ranks have a network adapter each: in every node, the chunks for "
               "the ranks g of all nodes are summed up at rank g, which sends the sums for other "
               "nodes to the ranks with its number there. Links inside and between nodes are used "
               "at the same time.")
      .source("Cho et al., BlueConnect, MLSys 2019: its reduce-scatter, without rings")
      .cost("2 steps; with N nodes of G ranks, a rank sends (N-1)/R S to other nodes and (G-1)/G S "
            "inside its node.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .param(chunks)
      .body(trace);
}
