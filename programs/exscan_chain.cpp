#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam chunks = chunksParam(8);

/// A rank keeps the sum of the ranks before it, and sends the one that includes its own data, which
/// it adds in scratch. In place, its own data are copied there before the result replaces them.
void trace(Program &p) {
  const int R = p.ranks(), C = p.get(chunks);
  p.chunks(C);
  Buffer sums = p.scratch("sums");
  for (int c = 0; c < C; ++c) {
    const Via inTurn = {.priority = C - c};
    ChunkRef sum = p.chunk(0, Input, c);
    for (int r = 1; r < R; ++r) {
      if (r + 1 < R)
        p.chunk(r, Input, c).copy(r, sums, c, inTurn);
      ChunkRef before = sum.copy(r, Output, c, inTurn);
      if (r + 1 < R)
        sum = p.chunk(r, sums, c).reduce(before, inTurn);
    }
  }
}
} // namespace

CCLC_PROGRAM(exscan_chain) {
  d.collective(Exscan)
      .summary("Every rank receives the sum of the ranks before it, which is its result, and sends "
               "the sum of this and its own data to the next rank, while the next chunk arrives. "
               "The ranks are added in order. No rank sends more than the buffer once: suited to "
               "large buffers.")
      .source("Sanders and Traeff, Parallel prefix (scan) algorithms for MPI, EuroPVM/MPI 2006")
      .cost("R-2 + C steps, each a message and a reduction of one of C chunks; a rank sends S, the "
            "last one nothing.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(chunks)
      .body(trace);
}
