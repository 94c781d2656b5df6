// All-to-all in two steps: the chunks of a node for rank g of another node are gathered at its own
// rank g, which sends them in one message.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes{.name = "nodes", .help = "nodes", .value = 2, .min = 1, .max = 1024};
constexpr IntParam gpus{
    .name = "gpus", .help = "ranks of each node", .value = 8, .min = 1, .max = 64};

void trace(Program &p) {
  const int N = p.get(nodes), G = p.get(gpus);
  auto rank = [&](int node, int g) { return node * G + g; };
  auto gathered = [&](int node) { return p.scratch(("copy_" + std::to_string(node)).c_str()); };

  for (int from = 0; from < N; ++from) {
    for (int distance = 1; distance < N; ++distance) {
      const int to = (from + distance) % N;
      for (int g = 0; g < G; ++g)
        for (int h = 0; h < G; ++h)
          p.chunk(rank(from, g), Input, rank(to, h)).copy(rank(from, h), gathered(to));
    }
    for (int distance = 1; distance < N; ++distance) {
      const int to = (from + distance) % N;
      for (int g = 0; g < G; ++g) {
        const int channel = (from + to) % G * 2 + rank(from, g) % 2 + 2;
        p.chunk(rank(from, g), gathered(to), 0, G)
            .copy(rank(to, g), Output, rank(from, 0), {.channel = channel});
      }
    }
  }
  for (int r = 0; r < N * G; ++r)
    for (int g = 0; g < G; ++g) {
      const int to = rank(r / G, g);
      p.chunk(r, Input, to).copy(to, Output, r);
    }
}
} // namespace

CCLC_PROGRAM(alltoall_a100_two_step) {
  d.collective(AllToAll).buffers(Buffers::OutOfPlace, Buffers::OutOfPlace);
  d.ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(gpus); });
  d.param(nodes).param(gpus).body(trace);
}
