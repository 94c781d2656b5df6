// All-reduce of several nodes as in BlueConnect: rings in the nodes reduce-scatter the buffer,
// rings across the nodes complete the sums, and the same rings gather the sums in reverse order.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam nodes{.name = "nodes", .help = "nodes", .value = 2, .min = 1, .max = 1024};
constexpr IntParam gpus{
    .name = "gpus", .help = "ranks of each node", .value = 8, .min = 1, .max = 64};
constexpr ChoiceParam schedule{.name = "schedule",
                               .help = "auto: the scheduler chooses the channels",
                               .value = "auto",
                               .choices = {"auto", "manual"}};

/// \p size numbers from \p first on, with the stride \p step.
std::vector<int> row(int size, int first, int step) {
  std::vector<int> numbers;
  for (int i = 0; i < size; ++i)
    numbers.push_back(first + i * step);
  return numbers;
}

void trace(Program &p) {
  const int N = p.get(nodes), G = p.get(gpus);
  p.chunks(N * G);
  auto via = [&](int channel) {
    return p.get(schedule) == "manual" ? Via{.channel = channel} : Via();
  };
  auto inNode = [&](int node) { return row(G, node * G, 1); };
  auto acrossNodes = [&](int g) { return row(N, g, G); };
  auto part = [&](int k) { return row(G, k, N); };
  auto partsOf = [&](int g) { return row(N, g * N, 1); };

  for (int node = 0; node < N; ++node)
    for (int k = 0; k < N; ++k)
      reduceScatterRing(p, inNode(node), Input, part(k), via(k));
  for (int g = 0; g < G; ++g)
    reduceScatterRing(p, acrossNodes(g), Input, partsOf(g), via(2 * N + g % 2));
  for (int g = 0; g < G; ++g)
    allGatherRing(p, acrossNodes(g), Input, partsOf(g), via(2 * N + g % 2));
  for (int node = 0; node < N; ++node)
    for (int k = 0; k < N; ++k)
      allGatherRing(p, inNode(node), Input, part(k), via(N + k));
}
} // namespace

CCLC_PROGRAM(hierarchical_allreduce) {
  d.collective(AllReduce).param(gpus).param(nodes).param(schedule).body(trace);
  d.ranksFrom([](const ParamValues &v) { return v.get(nodes) * v.get(gpus); });
}
