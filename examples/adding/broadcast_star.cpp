// A broadcast in which the root sends to all other ranks. docs/AddingThings.md explains it.
#include "cclc/DSL/DSL.h"

using namespace cclc;
using namespace cclc::dsl;

CCLC_PROGRAM(broadcast_star) {
  d.collective(Broadcast)
      .summary("The root sends its buffer to every other rank.")
      .source("an example: docs/AddingThings.md")
      .cost("1 step; the root sends (R-1) S.")
      .body([](Program &p) {
        p.root(0);
        p.chunk(0, Input, 0).copy(0, Output, 0);
        for (int rank = 1; rank < p.ranks(); ++rank)
          p.chunk(0, Input, 0).copy(rank, Output, 0);
      });
}
