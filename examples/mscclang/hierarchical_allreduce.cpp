// All-reduce of several nodes as BlueConnect does it: rings in the nodes scatter-reduce the buffer,
// rings across the nodes finish the sums, and both gather them on the way back.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes{.name = "nodes", .help = "nodes", .value = 2, .min = 1, .max = 1024};
constexpr IntParam gpus{
    .name = "gpus", .help = "ranks of each node", .value = 8, .min = 1, .max = 64};
constexpr ChoiceParam schedule{.name = "schedule",
                               .help = "who chooses the channels",
                               .value = "auto",
                               .choices = {"auto", "manual"}};

/// Members first, first + step, ... of a ring.
struct Ring {
  int size, first, step;
  int rank(int member) const { return first + member % size * step; }
};

/// Chunk begin + i * stride is summed up at member i.
void reduceScatter(Program &p, Ring ring, int begin, int stride, Via via) {
  for (int i = 0; i < ring.size; ++i)
    for (int hop = 1; hop < ring.size; ++hop) {
      ChunkRef sum = p.chunk(ring.rank(i + hop), Input, begin + i * stride);
      p.chunk(ring.rank(i + hop + 1), Input, begin + i * stride).reduce(sum, via);
    }
}

/// Chunk begin + i * stride spreads from member i.
void allGather(Program &p, Ring ring, int begin, int stride, Via via) {
  for (int i = 0; i < ring.size; ++i)
    for (int hop = 0; hop < ring.size - 1; ++hop) {
      ChunkRef sum = p.chunk(ring.rank(i + hop), Input, begin + i * stride);
      sum.copy(ring.rank(i + hop + 1), via);
    }
}

void trace(Program &p) {
  const int N = p.get(nodes), G = p.get(gpus);
  p.chunks(N * G);
  auto via = [&](int channel) {
    return p.get(schedule) == "manual" ? Via{.channel = channel} : Via();
  };
  auto inNode = [&](int node) { return Ring{G, node * G, 1}; };
  auto acrossNodes = [&](int g) { return Ring{N, g, G}; };
  for (int node = 0; node < N; ++node)
    for (int k = 0; k < N; ++k)
      reduceScatter(p, inNode(node), k, N, via(k));
  for (int g = 0; g < G; ++g)
    reduceScatter(p, acrossNodes(g), g * N, 1, via(2 * N + g % 2));
  for (int g = 0; g < G; ++g)
    allGather(p, acrossNodes(g), g * N, 1, via(2 * N + g % 2));
  for (int node = 0; node < N; ++node)
    for (int k = 0; k < N; ++k)
      allGather(p, inNode(node), k, N, via(N + k));
}
} // namespace

CCLC_PROGRAM(hierarchical_allreduce) {
  d.collective(AllReduce).param(gpus).param(nodes).param(schedule).body(trace);
  d.ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(gpus); });
}
