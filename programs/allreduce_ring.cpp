#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam channels = channelsParam();

void trace(Program &p) {
  const int R = p.ranks();
  p.chunks(R);
  p.orbit({{.ranks = R, .chunks = 1}}, [&] {
    for (int c = 0; c < R; ++c)
      p.chunk(0, Input, c).copy(0, Output, c);
  });
  p.orbit({{.ranks = R, .chunks = 1}}, [&] {
    Via via;
    if (p.get(channels) > 1)
      via.channel = p.repetition() % p.get(channels);

    p.phase("reduce-scatter");
    ChunkRef sum = p.chunk(0, Output, 0);
    for (int hop = 1; hop < R; ++hop) {
      ChunkRef next = p.chunk(hop, Output, 0);
      sum = next.reduce(sum, via);
    }
    p.phase("all-gather");
    for (int hop = 0; hop < R - 1; ++hop)
      sum = sum.copy(hop, Output, 0, via);
  });
}
} // namespace

CCLC_PROGRAM(allreduce_ring) {
  d.collective(AllReduce)
      .summary(
          "Splits the buffer into R chunks and passes each around the ring twice: once to reduce "
          "it (reduce-scatter), once to distribute the sum (all-gather). A rank sends 2(R-1)/R of "
          "the buffer, the minimum for an all-reduce; the critical path has 2(R-1) hops.")
      .source("Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of "
              "workstations, JPDC 2009")
      .cost("2(R-1) steps; a rank sends 2(R-1)/R S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(channels)
      .body(trace);
}
