#include "Parameters.h"
#include "Rails.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);
constexpr IntParam root = rootParam("rank whose buffer is broadcast");
constexpr IntParam chunks = chunksParam(1);

/// Calls send(from, to) for the edges of a binomial tree over 0 ... \p size - 1.
template <class Fn> void binomialTree(int size, Fn send) {
  for (int distance = 1; distance < size; distance *= 2)
    for (int from = 0; from < distance && from + distance < size; ++from)
      send(from, from + distance);
}

void trace(Program &p) {
  const Rails rails(p.get(nodes), p.get(ranksPerNode));
  const int C = p.get(chunks), first = getRoot(p, root);
  p.chunks(C);
  p.root(first);
  for (int c = 0; c < C; ++c) {
    p.chunk(first, Input, c).copy(first, Output, c);
    p.phase("across nodes");
    binomialTree(rails.N, [&](int from, int to) {
      p.chunk(rails.across(first, from), Output, c).copy(rails.across(first, to));
    });
    p.phase("in each node");
    for (int node = 0; node < rails.N; ++node) {
      const int leader = rails.across(first, node);
      binomialTree(rails.G, [&](int from, int to) {
        p.chunk(rails.inside(leader, from), Output, c).copy(rails.inside(leader, to));
      });
    }
  }
}
} // namespace

CCLC_PROGRAM(broadcast_hierarchical) {
  d.collective(Broadcast)
      .summary("Two levels: a binomial tree over the nodes, between the ranks with the number of "
               "the root, then a binomial tree in each node. Every node receives the buffer once. "
               "Suited to small buffers.")
      .source("Karonis et al., Exploiting hierarchy in parallel computer networks to optimize "
              "collective operation performance, IPDPS 2000")
      .cost("With N nodes of G ranks, log2 N + log2 G steps; the root sends (log2 N) S to other "
            "nodes and (log2 G) S inside its node.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .param(root)
      .param(chunks)
      .body(trace);
}
