// All-reduce in one step: every rank sends its whole buffer to all others and reduces the received
// buffers, with one threadblock per chunk.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void trace(Program &p) {
  const int R = p.ranks();
  p.chunks(R);
  Buffer scratch = p.scratch("scratch");
  for (int rank = 0; rank < R; ++rank)
    for (int peer = 0; peer < R; ++peer)
      if (rank != peer)
        p.chunk(rank, Input, 0, R).copy(peer, scratch, {.sendTb = peer, .recvTb = rank});

  for (int rank = 0; rank < R; ++rank)
    for (int index = 0; index < R * (R - 1); ++index)
      p.chunk(rank, Input, index % R).reduce(p.chunk(rank, scratch, index), {.sendTb = index % R});
}

CCLC_PROGRAM(allreduce_1step) { d.collective(AllReduce).body(trace); }
