#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam chunks = chunksParam(8);

void trace(Program &p) {
  const int R = p.ranks(), C = p.get(chunks);
  p.chunks(C);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, C).copy(r, Output, 0);
  for (int c = 0; c < C; ++c) {
    ChunkRef sum = p.chunk(0, Output, c);
    for (int r = 1; r < R; ++r) {
      ChunkRef own = p.chunk(r, Output, c);
      sum = own.reduce(sum);
    }
  }
}
} // namespace

CCLC_PROGRAM(scan_chain) {
  d.collective(Scan)
      .summary("Every rank adds its data to the sum of the ranks before it and sends the result to "
               "the next rank, while the next chunk arrives. The ranks are added in order. No rank "
               "sends more than the buffer once: suited to large buffers.")
      .source("Sanders and Traeff, Parallel prefix (scan) algorithms for MPI, EuroPVM/MPI 2006")
      .cost("R-2 + C steps, each of one of C chunks; a rank sends S, the last one nothing.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(chunks)
      .body(trace);
}
