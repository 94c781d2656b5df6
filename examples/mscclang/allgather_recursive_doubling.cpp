// All-gather by recursive doubling: in step s a rank exchanges its 2^s chunks with the rank whose
// number differs in bit s. One threadblock per step.
#include "cclc/DSL/DSL.h"

#include <bit>

using namespace cclc::dsl;

static void trace(Program &p) {
  const int R = p.ranks();
  if (!std::has_single_bit(unsigned(R)))
    p.refuse("the number of ranks must be a power of two, not " + std::to_string(R));
  for (int count = 1, step = 0; count < R; count *= 2, ++step)
    for (int rank = 0; rank < R; ++rank) {
      const int peer = rank ^ count, index = rank / count * count;
      p.chunk(rank, Output, index, count).copy(peer, {.sendTb = step, .recvTb = step});
    }
}

CCLC_PROGRAM(allgather_recursive_doubling) { d.collective(AllGather).body(trace); }
