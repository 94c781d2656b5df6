// All-reduce around a ring: each chunk passes around once to be reduced and once as the sum. Chunks
// are assigned round-robin to channels with one threadblock each.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static constexpr IntParam channels{
    .name = "channels", .help = "number of channels of the ring", .value = 1, .min = 1, .max = 32};

static void trace(Program &p) {
  const int R = p.ranks();
  p.chunks(R);
  auto via = [&](int index) {
    const int channel = index % p.get(channels);
    return Via{.channel = channel, .sendTb = channel, .recvTb = channel};
  };
  for (int step = 0; step < R - 1; ++step)
    for (int index = 0; index < R; ++index) {
      const int rank = (index + step) % R, next = (index + step + 1) % R;
      p.chunk(next, Input, index).reduce(p.chunk(rank, Input, index), via(index));
    }
  for (int step = R - 1; step < 2 * (R - 1); ++step)
    for (int index = 0; index < R; ++index) {
      const int rank = (index + step) % R, next = (index + step + 1) % R;
      p.chunk(rank, Input, index).copy(next, via(index));
    }
}

CCLC_PROGRAM(allreduce_a100_ring) { d.collective(AllReduce).param(channels).body(trace); }
