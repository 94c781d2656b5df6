// A reduce-scatter along a line of ranks whose messages shrink by one chunk per hop.
#include "cclc/DSL/DSL.h"

using namespace cclc;
using namespace cclc::dsl;

CCLC_PROGRAM(line_reducescatter) {
  d.collective(ReduceScatter)
      .summary("Sums for later ranks are sent up the line, and sums for earlier ranks down.")
      .source("a test")
      .cost("R-1 steps of at most (R-1)/R of the buffer.")
      .buffers(Buffers::InPlace, Buffers::InPlace)
      .mapper(Mapper::AllPes)
      .body([](Program &p) {
        const int R = p.ranks();
        for (int r = 0; r + 1 < R; ++r)
          p.neighbour(r, Direction::IntraE, r + 1);
        for (int r = 0; r + 1 < R; ++r) {
          ChunkRef later = p.chunk(r + 1, Input, r + 1, R - r - 1);
          later.reduce(p.chunk(r, Input, r + 1, R - r - 1));
        }
        for (int r = R - 1; r > 0; --r) {
          ChunkRef earlier = p.chunk(r - 1, Input, 0, r);
          earlier.reduce(p.chunk(r, Input, 0, r));
        }
      });
}
