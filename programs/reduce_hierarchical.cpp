#include "Parameters.h"
#include "Rails.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);
constexpr IntParam root = rootParam("rank that receives the result");
constexpr IntParam chunks = chunksParam(4, "number of chunks of each rail");

/// Rail g has the chunks g, G+g, 2G+g ... Inputs are not modified: sums are formed in scratch. The
/// compiler removes copies that are only accumulated into.
void trace(Program &p) {
  const Rails rails(p.get(nodes), p.get(ranksPerNode));
  const int N = rails.N, G = rails.G, C = p.get(chunks), first = getRoot(p, root);
  p.chunks(G * C);
  p.root(first);
  Buffer partial = p.scratch("partial");
  for (int c = 0; c < C; ++c)
    for (int rail = 0; rail < G; ++rail) {
      const int home = rails.inside(first, rail), index = c * G + rail;
      auto sum = [&](int r) { return p.chunk(r, r == first ? Output : partial, index); };
      for (int hops = 1; hops <= N; ++hops) {
        const int at = rails.across(home, hops);
        p.phase("in each node");
        ChunkRef mine = p.chunk(at, Input, index).copy(at, at == first ? Output : partial, index);
        for (int i = 0; i < G - 1; ++i)
          mine = mine.reduce(p.chunk(rails.other(at, i, c), Input, index), {.channel = 0});
        p.phase("rails");
        if (hops > 1)
          mine.reduce(sum(rails.across(home, hops - 1)), {.channel = 1});
      }
      p.phase("to the root");
      if (home != first)
        sum(home).copy(first, Output, index, {.channel = 2});
    }
}
} // namespace

CCLC_PROGRAM(reduce_hierarchical) {
  d.collective(Reduce)
      .summary("For nodes whose ranks have a network adapter each: in every node, rank g sums up "
               "its share of the buffer, the sums pass along chains of the ranks g of all nodes to "
               "the node of the root, and its ranks send them to the root.")
      .source("Cho et al., BlueConnect, MLSys 2019: its reduce-scatter, with chains across nodes")
      .cost("With N nodes of G ranks, N+1 steps; a rank sends (G-1)/G S inside its node and S/G to "
            "the next node; in the node of the root, S/G more.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .param(root)
      .param(chunks)
      .body(trace);
}
