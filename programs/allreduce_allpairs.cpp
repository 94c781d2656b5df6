#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam parts = partsParam(); ///< of the chunks that a rank reduces
void trace(Program &p) {
  const int R = p.ranks(), P = p.get(parts);
  p.chunks(R * P);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, R * P).copy(r, Output, 0);

  p.phase("scatter");
  Buffer arrived = p.scratch("arrived");
  for (int j = 0; j < R; ++j)
    for (int r = 0; r < R; ++r)
      if (r != j)
        p.chunk(r, Output, j * P, P).copy(j, arrived, r * P);
  p.phase("reduce");
  for (int c = 0; c < R * P; ++c) {
    ChunkRef sum = p.chunk(c / P, Output, c);
    for (int r = 0; r < R; ++r)
      if (r != c / P)
        sum.reduce(p.chunk(c / P, arrived, r * P + c % P));
  }
  p.phase("gather");
  for (int j = 0; j < R; ++j)
    for (int r = 0; r < R; ++r)
      if (r != j)
        p.chunk(j, Output, j * P, P).copy(r);
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
      .param(parts)
      .body(trace);
}
