// Rank 0 sends two chunks into scratch, and rank 1 forwards each by itself.
#include "cclc/DSL/DSL.h"

using namespace cclc;
using namespace cclc::dsl;

CCLC_PROGRAM(pieces) {
  d.collective(Broadcast)
      .summary("A broadcast over scratch.")
      .source("a test")
      .buffers(Buffers::InPlace, Buffers::InPlace)
      .mapper(Mapper::LeaderOnly)
      .body([](Program &p) {
        p.chunks(2);
        p.neighbour(0, Direction::GlobalE, 1);
        ChunkRef both = p.chunk(0, Output, 0, 2).copy(1, p.scratch("both"), 0);
        std::vector<ChunkRef> parts = both.split(2);
        parts[0].copy(1, Output, 0);
        parts[1].copy(1, Output, 1);
      });
}
