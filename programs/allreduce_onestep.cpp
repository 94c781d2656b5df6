#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam chunks = chunksParam();

void trace(Program &p) {
  const int R = p.ranks(), C = p.get(chunks);
  p.chunks(C);
  Buffer arrived = p.scratch("arrived");
  p.phase("exchange");
  for (int r = 0; r < R; ++r)
    for (int q = 0; q < R; ++q)
      if (q != r)
        p.chunk(r, Input, 0, C).copy(q, arrived, r * C);

  p.phase("reduce");
  // Every rank adds in the order of ranks, so that all results are bit-equal: first the buffers of
  // lower ranks, then its own, then those of higher ranks.
  for (int r = 0; r < R; ++r) {
    ChunkRef own = p.chunk(r, Input, 0, C).copy(r, Output, 0);
    for (int q = 1; q < r; ++q)
      p.chunk(r, arrived, 0, C).reduce(p.chunk(r, arrived, q * C, C));
    if (r > 0)
      own.reduce(p.chunk(r, arrived, 0, C));
    for (int q = r + 1; q < R; ++q)
      own.reduce(p.chunk(r, arrived, q * C, C));
  }
}
} // namespace

CCLC_PROGRAM(allreduce_onestep) {
  d.collective(AllReduce)
      .summary(
          "Every rank sends its whole buffer to every other rank and reduces the received buffers: "
          "one step, in which a rank sends R-1 times its buffer. Suited to the smallest buffers. "
          "With packets of MSCCL++ (LL) each rank adds its own data first, and gets different "
          "bits.")
      .source("Cowan et al., MSCCLang, ASPLOS 2023: all pairs in one step")
      .cost("1 step of R-1 messages; a rank sends (R-1) S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(chunks)
      .body(trace);
}
