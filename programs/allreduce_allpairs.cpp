#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
/// Rank j reduces chunk j.
void trace(Program &p) {
  const int R = p.ranks();
  p.chunks(R);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, R).copy(r, Output, 0);

  p.phase("scatter");
  Buffer arrived = p.scratch("arrived");
  for (int j = 0; j < R; ++j)
    for (int r = 0; r < R; ++r)
      if (r != j)
        p.chunk(r, Output, j).copy(j, arrived, r);
  p.phase("reduce");
  for (int j = 0; j < R; ++j) {
    ChunkRef sum = p.chunk(j, Output, j);
    for (int r = 0; r < R; ++r)
      if (r != j)
        sum.reduce(p.chunk(j, arrived, r));
  }
  p.phase("gather");
  for (int j = 0; j < R; ++j)
    for (int r = 0; r < R; ++r)
      if (r != j)
        p.chunk(j, Output, j).copy(r);
}
} // namespace

CCLC_PROGRAM(allreduce_allpairs) {
  d.collective(AllReduce)
      .summary("Every rank sends chunk j to rank j, which reduces the chunks and sends the sum to "
               "all ranks. Sends as few bytes as a ring, in two steps. Suited to fully connected "
               "machines and small to medium buffers.")
      .source("Cowan et al., MSCCLang, ASPLOS 2023: all pairs")
      .cost("2 steps of R-1 messages; a rank sends 2(R-1)/R S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .body(trace);
}
