// All-gather around a ring, with chunks assigned round-robin to channels with one threadblock each.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static constexpr IntParam channels{
    .name = "channels", .help = "number of channels of the ring", .value = 1, .min = 1, .max = 32};

static void trace(Program &p) {
  const int R = p.ranks();
  for (int step = 0; step < R - 1; ++step)
    for (int index = 0; index < R; ++index) {
      const int rank = (index + step) % R, next = (index + step + 1) % R;
      const int channel = index % p.get(channels);
      p.chunk(rank, Output, index)
          .copy(next, {.channel = channel, .sendTb = channel, .recvTb = channel});
    }
}

CCLC_PROGRAM(allgather_ring) { d.collective(AllGather).param(channels).body(trace); }
