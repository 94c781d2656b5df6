// Every rank sends its buffer to the next one. Between nodes the buffer is split over all ranks of
// both nodes, so that every network adapter carries a part.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
constexpr int G = 8; // ranks of a node
constexpr IntParam nodes{.name = "nodes", .help = "nodes", .value = 2, .min = 1, .max = 1024};

/// Sends chunk c of the last rank of \p node through rank c of the node and rank c of the next
/// node.
void cross(Program &p, int node, int c) {
  const int from = node * G + G - 1, to = from + 1;
  const Via via{.channel = c % 2};
  Buffer scratch = p.scratch((std::to_string(node) + "->" + std::to_string(node + 1)).c_str());
  ChunkRef chunk = p.chunk(from, Input, c);
  if (c < G - 1)
    chunk = chunk.copy(node * G + c, scratch, 0, via);
  if (c > 0)
    chunk = chunk.copy(to + c, scratch, 0, via);
  chunk.copy(to, Output, c, via);
}

void trace(Program &p) {
  p.chunks(G);
  for (int r = 0; r + 1 < p.ranks(); ++r)
    if (r % G < G - 1)
      p.chunk(r, Input, 0, G).copy(r + 1, Output, 0, {.channel = r % G % 2});
    else
      for (int c = 0; c < G; ++c)
        cross(p, r / G, c);
}
} // namespace

CCLC_PROGRAM(alltonext_forward) {
  d.collective(AllToNext).buffers(Buffers::OutOfPlace, Buffers::OutOfPlace);
  d.ranksFrom([](const ParamValues &v) { return G * v.get(nodes); }).param(nodes).body(trace);
}
