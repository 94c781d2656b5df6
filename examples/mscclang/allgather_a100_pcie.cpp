// All-gather of ranks in pairs: the neighbour receives a chunk directly and does not forward it.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

/// First the chunks of even ranks, then those of odd ones; each passes from pair to pair.
static void trace(Program &p) {
  const int R = p.ranks();
  if (R % 2 != 0)
    p.refuse("the ranks must form pairs: there are " + std::to_string(R));
  for (int parity = 0; parity < 2; ++parity) {
    auto neighbour = [&](int rank) { return rank + 1 - 2 * parity; };
    for (int r = parity; r < R; r += 2)
      p.chunk(r, Input, 0).copy(neighbour(r), Output, r);
    for (int hop = 1; hop < R / 2; ++hop) {
      auto origin = [&](int rank) { return (rank - 2 * hop + R) % R; };
      for (int r = parity; r < R; r += 2) {
        const int next = (r + 2) % R;
        p.chunk(r, Output, origin(next)).copy(next);
      }
      for (int r = parity; r < R; r += 2)
        p.chunk(r, Output, origin(r)).copy(neighbour(r));
    }
  }
}

CCLC_PROGRAM(allgather_a100_pcie) { d.collective(AllGather).ranks(2, 4).body(trace); }
