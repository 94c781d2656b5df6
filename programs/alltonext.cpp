#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes = nodesParam(2);
constexpr IntParam ranksPerNode = ranksPerNodeParam(8);

/// The last rank of \p node to the first of the next one: chunk g through the ranks g of both.
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

/// From the last rank to the first: in place, a rank has sent its buffer before it gets another.
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
      .summary("Rank i sends its buffer to rank i+1. Inside a node that is one message; from the "
               "last rank of a node to the first of the next one the buffer is split over all "
               "ranks of both nodes, so that every network adapter carries a part of it.")
      .source("Cowan et al., MSCCLang, ASPLOS 2023")
      .cost("3 steps; with G ranks a node a rank sends S inside its node and S/G to the next one, "
            "but the last of a node instead of one message of S G messages of S/G.")
      .buffers(Buffers::Both, Buffers::OutOfPlace)
      .ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(ranksPerNode); })
      .param(nodes)
      .param(ranksPerNode)
      .body(trace);
}
