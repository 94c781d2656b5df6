// An all-gather along a line of ranks whose messages grow by one chunk per hop, so that kernels of
// AHBM read their tiles in other ranges than they were written.
#include "cclc/DSL/DSL.h"

using namespace cclc;
using namespace cclc::dsl;

CCLC_PROGRAM(line_allgather) {
  d.collective(AllGather)
      .summary("Every rank sends all that it has to the next one, and then to the previous one.")
      .source("a test")
      .cost("2(R-1) steps of at most (R-1)/R of the buffer.")
      .buffers(Buffers::InPlace, Buffers::InPlace)
      .mapper(Mapper::AllPes)
      .body([](Program &p) {
        const int R = p.ranks();
        for (int r = 0; r + 1 < R; ++r)
          p.neighbour(r, Direction::IntraE, r + 1);
        for (int r = 0; r + 1 < R; ++r)
          p.chunk(r, Output, 0, r + 1).copy(r + 1, Output, 0);
        for (int r = R - 1; r > 0; --r)
          p.chunk(r, Output, r, R - r).copy(r - 1, Output, r);
      });
}
