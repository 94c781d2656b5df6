#include "Parameters.h"

#include <algorithm>

using namespace cclc::dsl;

namespace {
constexpr IntParam root = rootParam("rank whose buffer is broadcast");
constexpr IntParam chunks = chunksParam(8, "number of chunks in each tree");

/// Tree t leads from the root to the t-th rank after it, and from there to all others.
void trace(Program &p) {
  const int R = p.ranks(), first = getRoot(p, root), T = std::max(R - 1, 1), C = p.get(chunks);
  p.chunks(T * C);
  p.root(first);
  p.chunk(first, Input, 0, T * C).copy(first, Output, 0);
  auto at = [&](int distance) { return (first + distance) % R; };
  for (int c = 0; c < C; ++c)
    for (int t = 1; t < R; ++t) {
      ChunkRef chunk = p.chunk(first, Output, c * T + t - 1).copy(at(t));
      for (int i = 1; i < R - 1; ++i)
        chunk.copy(at(1 + (t - 1 + i) % (R - 1)));
    }
}
} // namespace

CCLC_PROGRAM(broadcast_multitree) {
  d.collective(Broadcast)
      .summary("The buffer has a part for each rank other than the root. The root sends a part to "
               "its rank, which forwards it to all others: R-1 trees of two levels, in which every "
               "pair of ranks carries the same amount of data. Suited to large buffers on machines "
               "with a link between every pair of ranks, or one switch.")
      .source("Wang et al., Blink: Fast and generic collectives for distributed ML, MLSys 2020: "
              "packed spanning trees")
      .cost("C+1 steps with C chunks in each tree; the root sends S, another rank (R-2)/(R-1) S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(root)
      .param(chunks)
      .body(trace);
}
