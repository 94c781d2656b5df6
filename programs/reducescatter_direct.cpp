#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam chunks = chunksParam(1, "number of chunks of each rank's result");
constexpr BoolParam staged{
    .name = "staged", .help = "store all received chunks before they are added", .value = false};

/// Each chunk is added in another order, so that they do not all wait for the same message.
void trace(Program &p) {
  const int R = p.ranks(), C = p.get(chunks);
  p.chunks(C);
  Buffer arrived = p.scratch("arrived");
  for (int c = 0; c < C; ++c)
    p.orbit({{.ranks = R}}, [&] {
      ChunkRef sum = p.chunk(0, Input, c).copy(0, Output, c);
      std::vector<ChunkRef> others;
      for (int i = 0; i < R - 1; ++i) {
        ChunkRef other = p.chunk(1 + (c + i) % (R - 1), Input, c);
        if (p.get(staged))
          other = other.copy(0, arrived, c * R + i);
        others.push_back(other);
      }
      for (const ChunkRef &other : others)
        sum = sum.reduce(other, {.fuse = !p.get(staged)});
    });
}
} // namespace

CCLC_PROGRAM(reducescatter_direct) {
  d.collective(ReduceScatter)
      .summary("Every rank sends each chunk directly to the rank that reduces it: R(R-1) messages "
               "in one step. Suited to small chunks, and to large ones on machines with a link "
               "between every pair of ranks, if they are split into R-1 chunks or more.")
      .source("Cowan et al., MSCCLang, ASPLOS 2023: the first step of the all-pairs all-reduce")
      .cost("1 step of R-1 independent messages, which are added one after the other; a rank sends "
            "(R-1)/R S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(chunks)
      .param(staged)
      .body(trace);
}
