#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam channels = channelsParam();

/// The partial sum of chunk 0 passes from rank 1 around the ring to rank 0. The ranks between them
/// reduce in scratch, so that inputs are not modified; the compiler removes this scratch, which is
/// not needed.
void trace(Program &p) {
  const int R = p.ranks();
  Buffer partial = p.scratch("partial");
  // The path of the chunk of rank 0.
  p.orbit({{.ranks = R}}, [&] {
    Via via;
    if (p.get(channels) > 1)
      via.channel = p.repetition() % p.get(channels);
    ChunkRef sum = p.chunk(1 % R, Input, 0);
    for (int hop = 2; hop < R; ++hop) {
      ChunkRef next = p.chunk(hop, Input, 0).copy(hop, partial, hop - 2);
      sum = next.reduce(sum, via);
    }
    ChunkRef result = p.chunk(0, Input, 0).copy(0, Output, 0);
    if (R > 1)
      result.reduce(sum, via);
  });
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
