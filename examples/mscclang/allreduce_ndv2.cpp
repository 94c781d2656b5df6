// All-reduce of eight ranks on two sockets: rank g of each socket reduces two of its eight chunks,
// the two ranks g complete and exchange one chunk each, and each sends both chunks to its socket.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void trace(Program &p) {
  constexpr int R = 8, socket = R / 2;
  if (p.ranks() != R)
    p.refuse("there must be 8 ranks, not " + std::to_string(p.ranks()));
  p.chunks(R);
  auto begin = [](int rank) { return rank % socket * 2; };
  auto first = [](int rank) { return rank / socket * socket; };

  p.phase("reduce-scatter in the sockets");
  for (int g = 0; g < socket; ++g)
    for (int r = 0; r < R; ++r)
      if (r % socket != g)
        p.chunk(first(r) + g, Input, 2 * g, 2).reduce(p.chunk(r, Input, 2 * g, 2));
  p.phase("between the sockets");
  for (int r = 0; r < R; ++r) {
    const int other = (r + socket) % R, index = begin(r) + r / socket;
    ChunkRef sum = p.chunk(other, Input, index);
    sum.reduce(p.chunk(r, Input, index));
    sum.copy(r, {.channel = 1}); // not in the threadblock that reduces
  }
  p.phase("all-gather in the sockets");
  for (int r = 0; r < R; ++r)
    for (int g = 0; g < socket; ++g)
      if (r % socket != g)
        p.chunk(r, Input, begin(r), 2).copy(first(r) + g);
}

CCLC_PROGRAM(allreduce_ndv2) { d.collective(AllReduce).ranks(8, 8).body(trace); }
