#include "cclc/DSL/DSL.h"

#include <algorithm>

using namespace cclc::dsl;

namespace {
/// Before the step at distance d, rank r holds the chunks r, r+1, ..., r+d-1 (modulo R), each at
/// its final index. A run of chunks that wraps around the end of the buffer is sent as two
/// messages, so that no final rotation is needed.
void trace(Program &p) {
  const int R = p.ranks();
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0).copy(r, Output, r);
  for (int distance = 1; distance < R; distance *= 2)
    for (int r = 0; r < R; ++r) {
      const int to = (r - distance + R) % R;
      const int count = std::min(distance, R - distance), straight = std::min(count, R - r);
      p.chunk(r, Output, r, straight).copy(to, Output, r);
      if (straight < count)
        p.chunk(r, Output, 0, count - straight).copy(to, Output, 0);
    }
}
} // namespace

CCLC_PROGRAM(allgather_bruck) {
  d.collective(AllGather)
      .summary("For any number of ranks: in ceil(log2 R) steps every rank sends the chunks that it "
               "has to the rank at distance 1, 2, 4, ... before it. Chunks are received at their "
               "final index: a run that wraps around the end of the buffer takes two messages, and "
               "the final rotation of the original is not needed.")
      .source("Bruck et al., Efficient algorithms for all-to-all communications in multiport "
              "message-passing systems, IEEE TPDS 1997")
      .cost("ceil(log2 R) steps; a rank sends (R-1)/R S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .body(trace);
}
