#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam chunks = chunksParam();

/// Before the step at distance d, every rank has in scratch the sum of the last d ranks up to
/// itself, and in its output the sum of these without itself. Both add what it receives.
/// Descending, so that a rank sends its sum before it changes.
void trace(Program &p) {
  const int R = p.ranks(), C = p.get(chunks);
  p.chunks(C);
  Buffer sums = p.scratch("sums"), received = p.scratch("received");
  for (int r = 0; r + 2 < R; ++r)
    p.chunk(r, Input, 0, C).copy(r, sums, 0);
  for (int r = R - 1; r >= 1; --r) {
    ChunkRef before = p.chunk(r - 1, Input, 0, C).copy(r, Output, 0);
    if (r + 2 < R)
      p.chunk(r, sums, 0, C).reduce(before);
  }
  int step = 0;
  for (int distance = 2; distance < R; distance *= 2, ++step)
    for (int r = R - 1; r >= distance; --r) {
      ChunkRef sum = p.chunk(r - distance, sums, 0, C).copy(r, received, step * C);
      p.chunk(r, Output, 0, C).reduce(sum);
      if (r + 2 * distance < R)
        p.chunk(r, sums, 0, C).reduce(sum);
    }
}
} // namespace

CCLC_PROGRAM(exscan_recursive_doubling) {
  d.collective(Exscan)
      .summary(
          "In ceil(log2 R) steps every rank sends the partial sum that includes its own data "
          "to the rank at distance 1, 2, 4, ... after it, which adds it to its own partial sum "
          "and to its result. Fewest steps, most bytes: suited to small buffers.")
      .source("Hillis and Steele, Data parallel algorithms, CACM 1986")
      .cost("ceil(log2 R) steps; a rank sends S in each in which there is a rank at that distance.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(chunks)
      .body(trace);
}
