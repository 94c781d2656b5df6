// All-reduce around a ring: each chunk passes around once to be reduced and once as the sum.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void trace(Program &p) {
  const int R = p.ranks();
  p.chunks(R);
  for (int r = 0; r < R; ++r) {
    ChunkRef c = p.chunk(r, Input, r);
    int next = (r + 1) % R;
    for (; next != r; next = (next + 1) % R)
      c = p.chunk(next, Input, r).reduce(c);
    for (int hop = 1; hop < R; ++hop, next = (next + 1) % R)
      c = c.copy(next, Input, r);
  }
}

CCLC_PROGRAM(simple_allreduce_ring) { d.collective(AllReduce).body(trace); }
