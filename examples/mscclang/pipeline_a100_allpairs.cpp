// All pairs, for a pipeline of two nodes: the first node reduces its buffers and sends the parts of
// the sum to the second node, which broadcasts them. A custom collective, out of place.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static constexpr IntParam gpus{
    .name = "gpus", .help = "number of ranks of each node", .value = 8, .min = 2, .max = 64};

/// Every rank of the second node receives the sum over the first node.
static void expectSums(Program &p, int G, int chunks) {
  for (int c = 0; c < chunks; ++c) {
    std::vector<std::pair<int, int>> all;
    for (int g = 0; g < G; ++g)
      all.emplace_back(g, c);
    for (int g = 0; g < G; ++g)
      p.expect(G + g, c, all);
  }
}

static void trace(Program &p) {
  const int G = p.get(gpus);
  p.custom(G * G, G * G);
  expectSums(p, G, G * G);
  Buffer scratch = p.scratch("scratch");
  for (int from = 0; from < G; ++from)
    for (int to = 0; to < G; ++to)
      if (from != to)
        p.chunk(from, Input, to * G, G).copy(to, scratch, {.sendTb = to, .recvTb = from});

  // The input is read-only: the sum is formed in the place of the first received part.
  for (int g = 0; g < G; ++g) {
    for (int index = 0; index < G * (G - 1); ++index) {
      ChunkRef part = index < G ? p.chunk(g, Input, g * G + index) : p.chunk(g, scratch, index);
      p.chunk(g, scratch, index % G).reduce(part, {.sendTb = index % G});
    }
    p.chunk(g, scratch, 0, G).copy(G + g, Output, g * G, {.channel = g % 2});
  }

  for (int from = 0; from < G; ++from)
    for (int to = 0; to < G; ++to)
      if (from != to)
        p.chunk(G + from, Output, from * G, G).copy(G + to, {.sendTb = to, .recvTb = from});
}

CCLC_PROGRAM(pipeline_a100_allpairs) {
  d.collective(Custom).buffers(Buffers::OutOfPlace, Buffers::OutOfPlace).param(gpus).body(trace);
  d.ranksFrom([](const ParamValues &v) { return 2 * v.get(gpus); });
}
