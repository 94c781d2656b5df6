// All-reduce of two DGX-1: a chain over the ranks of each node along its NVLinks, an exchange
// between the nodes through two ranks of each, and the chain in reverse.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void trace(Program &p) {
  if (p.ranks() != 16)
    p.refuse("there must be two nodes of 8 ranks, not " + std::to_string(p.ranks()) + " ranks");
  const std::vector<int> order = {1, 3, 2, 6, 7, 5, 4, 0};
  auto rank = [&](int node, int position) { return node * 8 + order[position]; };
  auto chunk = [&](int rank) { return p.chunk(rank, Input, 0); };

  for (int node = 0; node < 2; ++node)
    for (int i = 1; i < 8; ++i)
      chunk(rank(node, i)).reduce(chunk(rank(node, i - 1)));

  // Ranks 0 and 8 have the sums of their nodes and receive the other sum through a neighbour.
  ChunkRef ofFirst = chunk(0).copy(9);
  ChunkRef ofSecond = chunk(8).copy(1);
  chunk(0).reduce(ofSecond);
  chunk(8).reduce(ofFirst);

  for (int node = 0; node < 2; ++node)
    for (int i = 7; i > 0; --i)
      chunk(rank(node, i)).copy(rank(node, i - 1));
}

CCLC_PROGRAM(allreduce_dgx1) { d.collective(AllReduce).ranks(16, 16).body(trace); }
