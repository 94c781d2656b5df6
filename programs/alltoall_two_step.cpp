#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);

/// N nodes of G ranks. A node sends chunks for rank g of another node through its own rank g.
void trace(Program &p) {
  const int N = p.get(nodes), G = p.get(ranksPerNode);
  auto rank = [&](int node, int g) { return node * G + g; };
  Buffer leaving = p.scratch("leaving"), arrived = p.scratch("arrived");

  p.phase("aggregate in each node");
  for (int node = 0; node < N; ++node)
    for (int to = 0; to < N; ++to)
      for (int g = 0; g < G; ++g)
        for (int h = 0; h < G; ++h)
          if (to != node)
            p.chunk(rank(node, g), Input, rank(to, h)).copy(rank(node, h), leaving, rank(to, g));
          else if (g == h || !p.mayBeInPlace())
            p.chunk(rank(node, g), Input, rank(node, h)).copy(rank(node, h), Output, rank(node, g));
          else // in place, the replaced chunk may not have been sent yet
            p.chunk(rank(node, g), Input, rank(node, h)).copy(rank(node, h), arrived, g);

  // The two directions use separate channels: a message that does not fit into the slots must not
  // wait for the one in the other direction.
  p.phase("exchange across nodes");
  for (int node = 0; node < N; ++node)
    for (int to = 0; to < N; ++to)
      for (int g = 0; g < G && to != node; ++g) {
        ChunkRef blocks = p.chunk(rank(node, g), leaving, rank(to, 0), G);
        blocks.copy(rank(to, g), Output, rank(node, 0), {.channel = node < to ? 0 : 1});
      }
  if (!p.mayBeInPlace())
    return;
  p.phase("unpack");
  for (int node = 0; node < N; ++node)
    for (int g = 0; g < G; ++g)
      for (int h = 0; h < G; ++h)
        if (g != h)
          p.chunk(rank(node, h), arrived, g).copy(rank(node, h), Output, rank(node, g));
}
} // namespace

CCLC_PROGRAM(alltoall_two_step) {
  d.collective(AllToAll)
      .summary("Two levels: inside each node, the chunks for the ranks g of all nodes are "
               "collected at rank g; then ranks with the same number exchange across nodes, with "
               "the chunks of a whole node in one message. A rank sends only one message to each "
               "other node, of as many chunks as a node has ranks.")
      .source("Cowan et al., MSCCLang, ASPLOS 2023")
      .cost("2 steps; with N nodes of G ranks, a rank sends N(G-1) messages of one chunk inside "
            "its node and N-1 messages of G chunks to other nodes: (G-1)/G S and (N-1)/N S.")
      .buffers(Buffers::Both, Buffers::OutOfPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .body(trace);
}
