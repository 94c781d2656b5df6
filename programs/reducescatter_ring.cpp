#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam channels = channelsParam();

/// The partial sum of chunk c passes from rank c+1 around the ring to rank c. The ranks between
/// them reduce in scratch, so that inputs are not modified; the compiler removes this scratch,
/// which is not needed.
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
      .summary("The chunk of every rank passes once around the ring to this rank, in R-1 hops, and "
               "is reduced on the way. A rank sends (R-1)/R of the input, the minimum for a "
               "reduce-scatter.")
      .source("Thakur, Rabenseifner and Gropp, Optimization of collective communication "
              "operations in MPICH, IJHPCA 2005")
      .cost("R-1 steps; a rank sends (R-1)/R S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(channels)
      .body(trace);
}
