// Rings, for a pipeline of two nodes: the first node reduces its buffers, and the second node
// broadcasts the sum. A custom collective, out of place.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static constexpr IntParam gpus{
    .name = "gpus", .help = "number of ranks of each node", .value = 8, .min = 1, .max = 64};
static constexpr IntParam channels{
    .name = "channels", .help = "number of channels of the rings", .value = 1, .min = 1, .max = 32};

/// Every rank of the second node receives the sum over the first node.
static void expectSums(Program &p, int G) {
  for (int c = 0; c < G; ++c) {
    std::vector<std::pair<int, int>> all;
    for (int g = 0; g < G; ++g)
      all.emplace_back(g, c);
    for (int g = 0; g < G; ++g)
      p.expect(G + g, c, all);
  }
}

static void trace(Program &p) {
  const int G = p.get(gpus);
  p.custom(G, G);
  expectSums(p, G);
  auto via = [&](int index) {
    const int channel = index % p.get(channels);
    return Via{.channel = channel, .sendTb = channel, .recvTb = channel};
  };
  for (int g = 0; g < G; ++g)
    p.chunk(g, Input, 0, G).copy(g, Output, 0);
  for (int step = 0; step < G - 1; ++step)
    for (int index = 0; index < G; ++index) {
      const int rank = (index + step) % G, next = (index + step + 1) % G;
      p.chunk(next, Output, index).reduce(p.chunk(rank, Output, index), via(index));
    }
  for (int index = 0; index < G; ++index) {
    const int rank = (index + G - 1) % G;
    p.chunk(rank, Output, index).copy(G + rank, {.channel = rank % 2});
  }
  for (int step = G - 1; step < 2 * (G - 1); ++step)
    for (int index = 0; index < G; ++index) {
      const int rank = (index + step) % G, next = (index + step + 1) % G;
      p.chunk(G + rank, Output, index).copy(G + next, via(index));
    }
}

CCLC_PROGRAM(pipeline_a100_ring) {
  d.collective(Custom).buffers(Buffers::OutOfPlace, Buffers::OutOfPlace);
  d.ranksFrom([](const ParamValues &v) { return 2 * v.get(gpus); });
  d.param(gpus).param(channels).body(trace);
}
