#include "Parameters.h"
#include "Rails.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);
constexpr IntParam root = rootParam("rank that gathers");

void trace(Program &p) {
  const Rails rails(p.get(nodes), p.get(ranksPerNode));
  const int first = getRoot(p, root);
  p.root(first);
  Buffer arrived = p.scratch("arrived");
  for (int r = 0; r < p.ranks(); ++r) {
    ChunkRef chunk = p.chunk(r, Input, 0);
    if (const int home = rails.inNodeOf(first, r); home != r && home != first) {
      p.phase("rails");
      chunk = chunk.copy(home, arrived);
    }
    p.phase("to the root");
    chunk.copy(first, Output, r);
  }
}
} // namespace

CCLC_PROGRAM(gather_hierarchical) {
  d.collective(Gather)
      .summary("For nodes whose ranks have a network adapter each: the ranks with the same number "
               "in other nodes send their chunks to one rank in the node of the root, which passes "
               "them on to the root. All adapters of this node receive the same amount of data.")
      .source("Karonis et al., Exploiting hierarchy in parallel computer networks to optimize "
              "collective operation performance, IPDPS 2000, with all ranks of the root's node as "
              "representatives")
      .cost("2 steps; with N nodes of G ranks, every adapter of the node of the root receives "
            "(N-1)/R S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .param(root)
      .body(trace);
}
