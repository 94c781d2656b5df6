// All-reduce of two nodes: all pairs inside each node, with an exchange between ranks of the same
// number before the sums are distributed.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static constexpr IntParam gpus{
    .name = "gpus", .help = "number of ranks of each node", .value = 8, .min = 2, .max = 64};

static void trace(Program &p) {
  const int G = p.get(gpus);
  p.chunks(G * G);
  Buffer scratch = p.scratch("scratch"), other = p.scratch("other node");
  for (int from = 0; from < G; ++from)
    for (int to = 0; to < G; ++to)
      for (int node = 0; node < 2 && from != to; ++node)
        p.chunk(node * G + from, Input, to * G, G)
            .copy(node * G + to, scratch, {.sendTb = to, .recvTb = from});

  for (int g = 0; g < G; ++g)
    for (int index = 0; index < G * (G - 1); ++index)
      for (int node = 0; node < 2; ++node) {
        ChunkRef sum = p.chunk(node * G + g, Input, g * G + index % G);
        sum.reduce(p.chunk(node * G + g, scratch, index), {.sendTb = index % G});
      }

  // Both ranks send before they add; one threadblock sends, another one receives and adds.
  for (int g = 0; g < G; ++g) {
    const Via across{.channel = g % 2, .sendTb = G, .recvTb = G + 1};
    ChunkRef first = p.chunk(g, Input, g * G, G), second = p.chunk(G + g, Input, g * G, G);
    ChunkRef atSecond = first.copy(G + g, other, 0, across);
    ChunkRef atFirst = second.copy(g, other, 0, across);
    first.reduce(atFirst, {.channel = g % 2, .sendTb = G + 1});
    second.reduce(atSecond, {.channel = g % 2, .sendTb = G + 1});
  }

  for (int from = 0; from < G; ++from)
    for (int to = 0; to < G; ++to)
      for (int node = 0; node < 2 && from != to; ++node)
        p.chunk(node * G + from, Input, from * G, G)
            .copy(node * G + to, {.sendTb = to, .recvTb = from});
}

CCLC_PROGRAM(allreduce_a100_multinode_allpairs) {
  d.collective(AllReduce).param(gpus).body(trace);
  d.ranksFrom([](const ParamValues &v) { return 2 * v.get(gpus); });
}
