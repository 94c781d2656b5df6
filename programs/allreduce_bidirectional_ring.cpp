#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam channels{.name = "channels",
                            .help = "channels of each ring; chunks are assigned round-robin",
                            .value = 1,
                            .min = 1,
                            .max = 32};

/// Chunks 0 ... R-1 pass to the next rank, R ... 2R-1 to the previous; 0 and R start at rank 0.
void trace(Program &p) {
  const int R = p.ranks(), N = p.get(channels);
  p.chunks(2 * R);
  p.orbit({{.ranks = R, .chunks = 1}}, [&] {
    for (int c = 0; c < 2 * R; ++c)
      p.chunk(0, Input, c).copy(0, Output, c);
  });
  for (int c : {0, R})
    p.orbit({{.ranks = R, .chunks = 1}}, [&] {
      auto at = [&](int hop) { return c == 0 ? hop : (R - hop) % R; };
      Via via;
      if (N > 1)
        via.channel = p.repetition() % N;

      p.phase("reduce-scatter");
      ChunkRef sum = p.chunk(at(0), Output, c);
      for (int hop = 1; hop < R; ++hop) {
        ChunkRef next = p.chunk(at(hop), Output, c);
        sum = next.reduce(sum, via);
      }
      p.phase("all-gather");
      for (int hop = 0; hop < R - 1; ++hop)
        sum = sum.copy(at(hop), Output, c, via);
    });
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
