#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam chunks =
    chunksParam(1, "number of chunks for each rank, with an intermediate rank each");

/// In every round each rank sends to another one.
void trace(Program &p) {
  const int R = p.ranks(), C = p.get(chunks);
  p.chunks(C);
  Buffer passing = p.scratch("passing");
  for (int c = 0; c < C; ++c)
    for (int round = 0; round < R; ++round)
      for (int from = 0; from < R; ++from) {
        const int to = (from + round) % R, by = (from + to + c) % R;
        ChunkRef chunk = p.chunk(from, Input, to * C + c);
        if (by != from && by != to && to != from)
          chunk = chunk.copy(by, passing, from * C + c);
        chunk.copy(to, Output, from * C + c);
      }
}
} // namespace

CCLC_PROGRAM(alltoall_valiant) {
  d.collective(AllToAll)
      .summary("Every chunk takes two steps, by way of an intermediate rank. The chunks for a rank "
               "have different intermediate ranks, so that all links of a fat tree carry the same "
               "load, whatever the routes between two ranks have in common.")
      .source("Valiant and Brebner, Universal schemes for parallel communication, STOC 1981, with "
              "intermediate ranks in turn instead of random ones")
      .cost("2 steps; a rank sends about 2 S.")
      .buffers(Buffers::OutOfPlace, Buffers::OutOfPlace)
      .param(chunks)
      .body(trace);
}
