#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);

/// In a ring of \p n members, reduces chunkAt(i) to rankAt(i).
template <class RankAt, class ChunkAt>
void reduceScatter(Program &p, int n, RankAt rankAt, ChunkAt chunkAt) {
  for (int i = 0; i < n; ++i) {
    ChunkRef sum = p.chunk(rankAt((i + 1) % n), Output, chunkAt(i));
    for (int hop = 2; hop <= n; ++hop) {
      ChunkRef next = p.chunk(rankAt((i + hop) % n), Output, chunkAt(i));
      sum = next.reduce(sum);
    }
  }
}

/// In a ring of \p n members, broadcasts chunkAt(i) from rankAt(i).
template <class RankAt, class ChunkAt>
void allGather(Program &p, int n, RankAt rankAt, ChunkAt chunkAt) {
  for (int i = 0; i < n; ++i) {
    ChunkRef chunk = p.chunk(rankAt(i), Output, chunkAt(i));
    for (int hop = 1; hop < n; ++hop)
      chunk = chunk.copy(rankAt((i + hop) % n), Output, chunkAt(i));
  }
}

/// N nodes of G ranks. Inside each node, rank g reduces the chunks g*N ... g*N+N-1; across the
/// nodes, rank g of node k completes the sum of chunk g*N+k.
void trace(Program &p) {
  const int N = p.get(nodes), G = p.get(ranksPerNode), R = p.ranks();
  p.chunks(R);
  for (int r = 0; r < R; ++r)
    for (int c = 0; c < R; ++c)
      p.chunk(r, Input, c).copy(r, Output, c);

  auto inNode = [&](int node) { return [=](int g) { return node * G + g; }; };
  auto acrossNodes = [&](int g) { return [=](int node) { return node * G + g; }; };
  auto part = [&](int k) { return [=](int g) { return g * N + k; }; };
  auto partsOf = [&](int g) { return [=](int k) { return g * N + k; }; };

  p.phase("reduce-scatter in each node");
  for (int node = 0; node < N; ++node)
    for (int k = 0; k < N; ++k)
      reduceScatter(p, G, inNode(node), part(k));
  p.phase("reduce-scatter across nodes");
  for (int g = 0; g < G; ++g)
    reduceScatter(p, N, acrossNodes(g), partsOf(g));
  p.phase("all-gather across nodes");
  for (int g = 0; g < G; ++g)
    allGather(p, N, acrossNodes(g), partsOf(g));
  p.phase("all-gather in each node");
  for (int node = 0; node < N; ++node)
    for (int k = 0; k < N; ++k)
      allGather(p, G, inNode(node), part(k));
}
} // namespace

CCLC_PROGRAM(allreduce_hierarchical) {
  d.collective(AllReduce)
      .summary("Two levels: rings inside each node reduce-scatter the buffer over the ranks of the "
               "node, rings across the nodes complete the sums, and the same rings gather the sums "
               "in reverse order. A rank sends only 2(N-1)/N of the buffer, divided by the number "
               "of ranks per node, to other nodes.")
      .source("Cho et al., BlueConnect, MLSys 2019; the running example of Cowan et al., MSCCLang, "
              "ASPLOS 2023")
      .cost("With N nodes of G ranks, 2(G-1) + 2(N-1) steps; a rank sends 2(G-1)/G S inside its "
            "node and 2(N-1)/(N G) S to other nodes.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .body(trace);
}
