// All-reduce of four ranks in two pairs: in each pair chunk c is reduced at the rank of parity c;
// these ranks exchange the sums between the pairs and send them to their neighbours.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void trace(Program &p) {
  const int R = p.ranks();
  if (R != 4)
    p.refuse("there must be 4 ranks, not " + std::to_string(R));
  p.chunks(2);
  Buffer scratch = p.scratch("scratch");
  for (int c = 0; c < 2; ++c) {
    auto neighbour = [&](int rank) { return rank + 1 - 2 * c; };
    for (int r = c; r < R; r += 2)
      p.chunk(r, Input, c).reduce(p.chunk(neighbour(r), Input, c));
    for (int r = c; r < R; r += 2)
      p.chunk(r, Input, c).copy((r + 2) % R, scratch, c);
    for (int r = c; r < R; r += 2)
      p.chunk(r, Input, c).reduce(p.chunk(r, scratch, c));
    for (int r = c; r < R; r += 2)
      p.chunk(r, Input, c).copy(neighbour(r));
  }
}

CCLC_PROGRAM(allreduce_a100_ncv4) { d.collective(AllReduce).ranks(4, 4).body(trace); }
