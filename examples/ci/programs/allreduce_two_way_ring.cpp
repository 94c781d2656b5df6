// An all-reduce on a ring with bidirectional links: one half of the chunks is reduced and
// broadcast clockwise, the other half counter-clockwise.

#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void trace(Program &p) {
  const int R = p.ranks();
  p.chunks(2 * R);
  for (int c = 0; c < 2 * R; ++c) {
    const int step = c < R ? 1 : R - 1;
    auto rankAt = [&](int hop) { return (c + hop * step) % R; };
    ChunkRef sum = p.chunk(rankAt(0), Output, c);
    for (int hop = 1; hop < R; ++hop) {
      ChunkRef next = p.chunk(rankAt(hop), Output, c);
      sum = next.reduce(sum);
    }
    for (int hop = R; hop < 2 * R - 1; ++hop)
      sum = sum.copy(rankAt(hop), Output, c);
  }
}

CCLC_PROGRAM(allreduce_two_way_ring) { d.collective(AllReduce).body(trace); }
