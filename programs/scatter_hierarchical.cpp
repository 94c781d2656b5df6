#include "Parameters.h"
#include "Rails.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);
constexpr IntParam root = rootParam("rank whose buffer is scattered");

/// Chunks for other nodes are sent first.
void trace(Program &p) {
  const Rails rails(p.get(nodes), p.get(ranksPerNode));
  const int R = p.ranks(), first = getRoot(p, root);
  p.root(first);
  Buffer leaving = p.scratch("leaving");
  for (int i = R - 1; i >= 0; --i) {
    const int r = (first + i) % R;
    ChunkRef chunk = p.chunk(first, Input, r);
    if (const int home = rails.inNodeOf(first, r); home != r && home != first) {
      p.phase("from the root");
      chunk = chunk.copy(home, leaving);
    }
    p.phase("rails");
    chunk.copy(r, Output, 0);
  }
}
} // namespace

CCLC_PROGRAM(scatter_hierarchical) {
  d.collective(Scatter)
      .summary("For nodes whose ranks have a network adapter each: the root sends the chunks for "
               "the ranks with the same number in other nodes to one rank of its node, which "
               "passes them on. All adapters of this node send the same amount of data.")
      .source("Karonis et al., Exploiting hierarchy in parallel computer networks to optimize "
              "collective operation performance, IPDPS 2000, with all ranks of the root's node as "
              "representatives")
      .cost("2 steps; with N nodes of G ranks, every adapter of the node of the root sends "
            "(N-1)/R S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .param(root)
      .body(trace);
}
