// Rabenseifner's all-reduce: reduce-scatter by recursive halving, all-gather by recursive doubling.
// One threadblock per bit in which the numbers of two exchanging ranks differ.
#include "cclc/DSL/DSL.h"

#include <bit>

using namespace cclc::dsl;

static Via along(int distance) {
  const int bit = std::countr_zero(unsigned(distance));
  return {.channel = 0, .sendTb = bit, .recvTb = bit};
}

static void trace(Program &p) {
  const int R = p.ranks();
  if (!std::has_single_bit(unsigned(R)))
    p.refuse("the number of ranks must be a power of two, not " + std::to_string(R));
  p.chunks(R);
  for (int count = R / 2; count >= 1; count /= 2)
    for (int rank = 0; rank < R; ++rank) {
      const int peer = rank ^ count, index = peer / count * count;
      p.chunk(peer, Output, index, count).reduce(p.chunk(rank, Output, index, count), along(count));
    }
  for (int count = 1; count < R; count *= 2)
    for (int rank = 0; rank < R; ++rank)
      p.chunk(rank, Output, rank / count * count, count).copy(rank ^ count, along(count));
}

CCLC_PROGRAM(allreduce_recursive_doubling_halving) { d.collective(AllReduce).body(trace); }
