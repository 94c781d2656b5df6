#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam chunks = chunksParam();

/// Before the step at distance d, every rank has the sum of the last d ranks up to itself, or of
/// all of these if there are fewer. Descending, so that a rank sends its sum before it changes.
void trace(Program &p) {
  const int R = p.ranks(), C = p.get(chunks);
  p.chunks(C);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, C).copy(r, Output, 0);
  for (int distance = 1; distance < R; distance *= 2)
    for (int r = R - 1; r >= distance; --r) {
      ChunkRef sum = p.chunk(r, Output, 0, C);
      sum.reduce(p.chunk(r - distance, Output, 0, C));
    }
}
} // namespace

CCLC_PROGRAM(scan_recursive_doubling) {
  d.collective(Scan)
      .summary("In ceil(log2 R) steps every rank sends its partial sum to the rank at distance 1, "
               "2, 4, ... after it, which adds it to its own. Fewest steps, most bytes: suited to "
               "small buffers.")
      .source("Hillis and Steele, Data parallel algorithms, CACM 1986")
      .cost("ceil(log2 R) steps; a rank sends S in each in which there is a rank at that distance.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(chunks)
      .body(trace);
}
