// All-reduce in two steps: rank r reduces part r of all buffers, with one threadblock per chunk,
// and sends the sum to all ranks.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void trace(Program &p) {
  const int R = p.ranks();
  p.chunks(R * R);
  Buffer scratch = p.scratch("scratch");
  for (int from = 0; from < R; ++from)
    for (int to = 0; to < R; ++to)
      if (from != to)
        p.chunk(from, Input, to * R, R).copy(to, scratch, {.sendTb = to, .recvTb = from});

  for (int r = 0; r < R; ++r)
    for (int index = 0; index < R * (R - 1); ++index)
      p.chunk(r, Input, r * R + index % R)
          .reduce(p.chunk(r, scratch, index), {.sendTb = index % R});

  for (int from = 0; from < R; ++from)
    for (int to = 0; to < R; ++to)
      if (from != to)
        p.chunk(from, Input, from * R, R).copy(to, {.sendTb = to, .recvTb = from});
}

CCLC_PROGRAM(allreduce_a100_allpairs) { d.collective(AllReduce).body(trace); }
