// A line whose last pair of ranks is missing in the table of neighbours.
#include "cclc/DSL/DSL.h"

using namespace cclc;
using namespace cclc::dsl;

CCLC_PROGRAM(stranger) {
  d.collective(Broadcast)
      .summary("Every rank sends to the next one.")
      .source("a test")
      .cost("R-1 steps.")
      .buffers(Buffers::InPlace, Buffers::InPlace)
      .mapper(Mapper::LeaderOnly)
      .body([](Program &p) {
        p.neighbour(0, Direction::GlobalE, 1);
        ChunkRef all = p.chunk(0, Input, 0);
        for (int r = 1; r < p.ranks(); ++r)
          all = all.copy(r, Output, 0);
      });
}
