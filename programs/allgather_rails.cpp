#include "Parameters.h"
#include "Rails.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);
constexpr IntParam chunks = chunksParam(4, "number of chunks of each rank's contribution");

/// The contributions of the own node are sent inside it while those of the others arrive. These
/// arrive from all nodes at the same rate, so that each step spreads one chunk of every node.
void trace(Program &p) {
  const Rails rails(p.get(nodes), p.get(ranksPerNode));
  const int C = p.get(chunks);
  p.chunks(C);
  rails.forEachRank(p, 0, [&] { p.chunk(0, Input, 0, C).copy(0, Output, 0); });
  for (int c = 0; c < C; ++c)
    for (int hops = 0; hops < rails.N; ++hops)
      rails.forEachRank(p, 0, [&] {
        const int at = rails.across(0, hops);
        p.phase("rails");
        ChunkRef chunk = p.chunk(0, Output, c).copy(at, {.channel = rails.channel(hops)});
        p.phase("in each node");
        for (int i = 0; i < rails.G - 1; ++i)
          chunk.copy(rails.other(at, i, c), {.channel = 0, .priority = hops ? C - c : 2 * C - c});
      });
}
} // namespace

CCLC_PROGRAM(allgather_rails) {
  d.collective(AllGather)
      .summary("For nodes whose ranks have a network adapter each: a rank sends its contribution "
               "to the ranks with its number in the other nodes, and every rank sends its own "
               "contribution and those that it receives to the other ranks of its node. Links "
               "inside and between nodes are used at the same time.")
      .source("Cho et al., BlueConnect, MLSys 2019: its all-gather, without rings")
      .cost("2 steps; with N nodes of G ranks, a rank sends (N-1)/R S to other nodes and (G-1)/G S "
            "inside its node.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .param(chunks)
      .body(trace);
}
