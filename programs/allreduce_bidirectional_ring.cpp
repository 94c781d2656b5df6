#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam channels{.name = "channels",
                            .help = "channels of each ring; chunks are assigned round-robin",
                            .value = 1,
                            .min = 1,
                            .max = 32};

/// Chunks 0 ... R-1 pass to the next rank, R ... 2R-1 to the previous; c and R+c start at rank c.
void trace(Program &p) {
  const int R = p.ranks(), N = p.get(channels);
  p.chunks(2 * R);
  for (int r = 0; r < R; ++r)
    for (int c = 0; c < 2 * R; ++c)
      p.chunk(r, Input, c).copy(r, Output, c);

  for (int c = 0; c < 2 * R; ++c) {
    const int step = c < R ? 1 : R - 1;
    auto at = [&](int hop) { return (c + hop * step) % R; };
    Via via;
    if (N > 1)
      via.channel = c % R % N;

    p.phase("reduce-scatter");
    ChunkRef sum = p.chunk(at(0), Output, c);
    for (int hop = 1; hop < R; ++hop) {
      ChunkRef next = p.chunk(at(hop), Output, c);
      sum = next.reduce(sum, via);
    }
    p.phase("all-gather");
    for (int hop = 0; hop < R - 1; ++hop)
      sum = sum.copy(at(hop), Output, c, via);
  }
}
} // namespace

CCLC_PROGRAM(allreduce_bidirectional_ring) {
  d.collective(AllReduce)
      .summary("Two rings in opposite directions, each for half of the buffer. On machines with "
               "full-duplex links this takes half the time of one ring for large buffers.")
      .source("Chan, Heimlich, Purkayastha and van de Geijn, Collective communication: theory, "
              "practice, and experience, CCPE 2007: bucket algorithms, in both directions at once")
      .cost("2(R-1) steps; a rank sends (R-1)/R S to each of its two neighbours.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(channels)
      .body(trace);
}
