#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam channels = channelsParam();

void trace(Program &p) {
  const int R = p.ranks();
  p.orbit({{.ranks = R}}, [&] {
    Via via;
    if (p.get(channels) > 1)
      via.channel = p.repetition() % p.get(channels);
    ChunkRef chunk = p.chunk(0, Input, 0).copy(0, Output, 0);
    for (int hop = 1; hop < R; ++hop)
      chunk = chunk.copy(hop, Output, 0, via);
  });
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
