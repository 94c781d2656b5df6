// All-gather around a ring, out of place or in place, where the first copy has no effect.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void trace(Program &p) {
  const int R = p.ranks();
  for (int r = 0; r < R; ++r) {
    ChunkRef c = p.chunk(r, Input, 0);
    c = c.copy(r, Output, r);
    for (int next = (r + 1) % R; next != r; next = (next + 1) % R)
      c = c.copy(next, Output, r);
  }
}

CCLC_PROGRAM(simple_allgather_ring) {
  d.collective(AllGather).buffers(Buffers::Both, Buffers::OutOfPlace).ranks(1, 4).body(trace);
}
