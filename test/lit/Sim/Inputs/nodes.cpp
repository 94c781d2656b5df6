#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

/// Rings over the ranks with the same number in all nodes, then rings in each node.
static void trace(Program &p) {
  const int G = 8, N = p.ranks() / G;
  const std::vector<Rotation> all = {{.ranks = N, .stride = G}, {.ranks = G}};
  p.orbit(all, [&] {
    ChunkRef chunk = p.chunk(0, Input, 0).copy(0, Output, 0);
    for (int node = 1; node < N; ++node)
      chunk = chunk.copy(node * G, Output, 0, {.channel = 0});
  });
  p.orbit(all, [&] {
    for (int node = 0; node < N; ++node) {
      ChunkRef chunk = p.chunk(node * G, Output, 0);
      for (int g = 1; g < G; ++g)
        chunk = chunk.copy(node * G + g, Output, 0, {.channel = 1});
    }
  });
}

CCLC_PROGRAM(nodes) { d.collective(AllGather).ranks(16, 8192).body(trace); }
