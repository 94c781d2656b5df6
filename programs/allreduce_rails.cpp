#include "Parameters.h"
#include "Rails.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);
constexpr IntParam chunks = chunksParam(4, "number of chunks of each rank's part of the buffer");

/// In the order of reducescatter_rails, then of allgather_rails.
void trace(Program &p) {
  const Rails rails(p.get(nodes), p.get(ranksPerNode));
  const int all = p.ranks() * p.get(chunks), C = p.get(chunks);
  p.chunks(all);
  rails.forEachRank(p, C, [&] { p.chunk(0, Input, 0, all).copy(0, Output, 0); });
  for (int hops = rails.N - 1; hops >= 0; --hops)
    for (int c = 0; c < C; ++c)
      rails.forEachRank(p, C, [&] {
        const int at = rails.across(0, hops);
        p.phase("reduce-scatter in each node");
        ChunkRef sum = p.chunk(at, Output, c);
        for (int i = 0; i < rails.G - 1; ++i)
          sum = sum.reduce(p.chunk(rails.other(at, i, c), Output, c),
                           {.channel = 0, .priority = (hops + 2) * C - c});
        p.phase("reduce-scatter on the rails");
        if (hops)
          p.chunk(0, Output, c).reduce(sum, {.channel = rails.channel(rails.N - hops)});
      });
  for (int c = 0; c < C; ++c)
    for (int hops = 0; hops < rails.N; ++hops)
      rails.forEachRank(p, C, [&] {
        const int at = rails.across(0, hops);
        p.phase("all-gather on the rails");
        ChunkRef chunk = p.chunk(0, Output, c).copy(at, {.channel = rails.channel(hops)});
        p.phase("all-gather in each node");
        for (int i = 0; i < rails.G - 1; ++i)
          chunk.copy(rails.other(at, i, c), {.channel = 3, .priority = hops ? C - c : 2 * C - c});
      });
}
} // namespace

CCLC_PROGRAM(allreduce_rails) {
  d.collective(AllReduce)
      .summary("For nodes whose ranks have a network adapter each: in every node, rank g sums up "
               "its share of the buffer, the ranks g of all nodes complete the sums directly and "
               "exchange them, and every rank sends the sums that it receives to the other ranks "
               "of its node. Links inside and between nodes are used at the same time.")
      .source("Cho et al., BlueConnect, MLSys 2019, without rings")
      .cost("4 steps; with N nodes of G ranks, a rank sends 2(N-1)/R S to other nodes and "
            "2(G-1)/G S inside its node.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .param(chunks)
      .body(trace);
}
