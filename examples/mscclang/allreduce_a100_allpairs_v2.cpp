// All-reduce in two steps, for smaller buffers: rank r receives chunk r of all ranks, adds them in
// pairs, pairs of pairs and so on, and sends the sum to all ranks.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

/// One threadblock per peer. A rank r of the lower half has an additional threadblock r, which only
/// reduces; ranks of the upper half have none, and number their threadblocks without a gap.
static int threadblock(int rank, int peer, int R) {
  return peer < rank || rank < R / 2 ? peer : peer - 1;
}

static void trace(Program &p) {
  const int R = p.ranks();
  p.chunks(R);
  auto direct = [&](int from, int to) {
    return Via{.sendTb = threadblock(from, to, R), .recvTb = threadblock(to, from, R)};
  };
  Buffer scratch = p.scratch("scratch");
  for (int from = 0; from < R; ++from)
    for (int to = 0; to < R; ++to)
      if (from != to)
        p.chunk(from, Input, to).copy(to, scratch, direct(from, to));

  for (int r = 0; r < R; ++r) {
    auto operand = [&](int n) {
      return n == 0 ? p.chunk(r, Input, r) : p.chunk(r, scratch, n - 1);
    };
    for (int left = R; left > 1; left = (left + 1) / 2)
      for (int n = 0; n < left / 2; ++n)
        operand(n).reduce(operand(n + (left + 1) / 2), {.sendTb = n});
  }

  for (int from = 0; from < R; ++from)
    for (int to = 0; to < R; ++to)
      if (from != to)
        p.chunk(from, Input, from).copy(to, direct(from, to));
}

CCLC_PROGRAM(allreduce_a100_allpairs_v2) { d.collective(AllReduce).body(trace); }
