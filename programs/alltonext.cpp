#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);

/// Sends from the last rank of \p node to the first of the next: chunk g through rank g of both.
void cross(Program &p, int node, int G) {
  const int from = node * G + G - 1, to = from + 1;
  Buffer leaving = p.scratch("leaving"), arrived = p.scratch("arrived");
  for (int g = 0; g < G; ++g) {
    ChunkRef chunk = p.chunk(from, Input, g);
    if (g < G - 1) {
      p.phase("scatter in each node");
      chunk = chunk.copy(node * G + g, leaving, 0);
    }
    p.phase("exchange across nodes");
    chunk = g > 0 ? chunk.copy(to + g, arrived, 0) : chunk.copy(to, Output, 0);
    if (g > 0) {
      p.phase("gather in each node");
      chunk.copy(to, Output, g);
    }
  }
}

/// In descending order of ranks: in place, a rank sends its buffer before it receives another.
void trace(Program &p) {
  const int R = p.ranks(), G = p.get(ranksPerNode);
  p.chunks(G);
  for (int r = R - 2; r >= 0; --r)
    if ((r + 1) % G == 0) {
      cross(p, r / G, G);
    } else {
      p.phase("next rank in each node");
      p.chunk(r, Input, 0, G).copy(r + 1, Output, 0);
    }
}
} // namespace

CCLC_PROGRAM(alltonext) {
  d.collective(AllToNext)
      .summary("Rank i sends its buffer to rank i+1. Inside a node this is one message. From the "
               "last rank of a node to the first rank of the next node, the buffer is split over "
               "all ranks of both nodes, so that every network adapter carries a part of it.")
      .source("Cowan et al., MSCCLang, ASPLOS 2023")
      .cost("3 steps; with G ranks per node, a rank sends S inside its node and S/G to the next "
            "node; the last rank of a node sends G messages of S/G instead of one message of S.")
      .buffers(Buffers::Both, Buffers::OutOfPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .body(trace);
}
