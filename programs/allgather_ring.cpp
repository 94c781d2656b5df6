#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam channels = channelsParam();

void trace(Program &p) {
  const int R = p.ranks();
  for (int r = 0; r < R; ++r) {
    Via via;
    if (p.get(channels) > 1)
      via.channel = r % p.get(channels);
    ChunkRef chunk = p.chunk(r, Input, 0).copy(r, Output, r);
    for (int hop = 1; hop < R; ++hop)
      chunk = chunk.copy((r + hop) % R, Output, r, via);
  }
}
} // namespace

CCLC_PROGRAM(allgather_ring) {
  d.collective(AllGather)
      .summary("Every chunk passes once around the ring, in R-1 hops. A rank sends (R-1)/R of the "
               "output, the minimum for an all-gather.")
      .source("Thakur, Rabenseifner and Gropp, Optimization of collective communication "
              "operations in MPICH, IJHPCA 2005")
      .cost("R-1 steps; a rank sends (R-1)/R S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(channels)
      .body(trace);
}
