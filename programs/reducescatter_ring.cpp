#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam channels = channelsParam();

/// The sum of chunk c travels from rank c+1 around to rank c. Where it passes it
/// is reduced in scratch, so that nobody's input changes; the compiler sees that
/// this scratch is never needed.
void trace(Program &p) {
  const int R = p.ranks();
  Buffer partial = p.scratch("partial");
  for (int c = 0; c < R; ++c) {
    Via via;
    if (p.get(channels) > 1)
      via.channel = c % p.get(channels);
    ChunkRef sum = p.chunk((c + 1) % R, Input, c);
    for (int hop = 2; hop < R; ++hop) {
      const int r = (c + hop) % R;
      ChunkRef next = p.chunk(r, Input, c).copy(r, partial, c);
      sum = next.reduce(sum, via);
    }
    ChunkRef result = p.chunk(c, Input, c).copy(c, Output, 0);
    if (R > 1)
      result.reduce(sum, via);
  }
}
} // namespace

CCLC_PROGRAM(reducescatter_ring) {
  d.collective(ReduceScatter)
      .summary("The chunk of every rank travels once around the ring towards it and is summed up "
               "on the way. R-1 hops, each of one chunk; every rank sends (R-1)/R of the input, "
               "the least that a reduce-scatter can do.")
      .source("Thakur, Rabenseifner and Gropp, Optimization of collective communication "
              "operations in MPICH, IJHPCA 2005")
      .cost("R-1 steps; a rank sends (R-1)/R S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(channels)
      .body(trace);
}
