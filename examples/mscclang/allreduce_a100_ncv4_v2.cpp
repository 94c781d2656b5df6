// All-reduce of four ranks along two chains with one chunk each: reduce to the end, broadcast back.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

/// Each rank has one threadblock per direction.
static void chain(Program &p, const std::vector<int> &ranks, int c) {
  const Via there{.sendTb = 2 * c, .recvTb = 2 * c};
  const Via back{.sendTb = 2 * c + 1, .recvTb = 2 * c + 1};
  for (size_t i = 1; i < ranks.size(); ++i)
    p.chunk(ranks[i], Input, c).reduce(p.chunk(ranks[i - 1], Input, c), there);
  for (size_t i = ranks.size() - 1; i > 0; --i)
    p.chunk(ranks[i], Input, c).copy(ranks[i - 1], back);
}

static void trace(Program &p) {
  if (p.ranks() != 4)
    p.refuse("there must be 4 ranks, not " + std::to_string(p.ranks()));
  p.chunks(2);
  chain(p, {3, 2, 1, 0}, 0);
  chain(p, {2, 3, 0, 1}, 1);
}

CCLC_PROGRAM(allreduce_a100_ncv4_v2) { d.collective(AllReduce).ranks(4, 4).body(trace); }
