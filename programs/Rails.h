//===- Rails.h - Nodes whose ranks have a network adapter each --*- C++ -*-===//
//
// In N nodes of G ranks, the ranks with the same number in their nodes form a rail. Ranks of the
// same node and ranks of the same rail communicate; all other pairs do not.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROGRAMS_RAILS_H
#define CCL_PROGRAMS_RAILS_H

#include "cclc/DSL/DSL.h"

namespace cclc::dsl {

class Rails {
public:
  Rails(int nodes, int ranksPerNode) : N(nodes), G(ranksPerNode) {}

  /// The rank on the rail of \p rank that is \p hops nodes further.
  int across(int rank, int hops) const { return (rank + hops * G) % (N * G); }
  /// The rank in the node of \p rank that is \p distance further.
  int inside(int rank, int distance) const { return rank / G * G + (rank + distance) % G; }
  /// The rank in the node of \p home on the rail of \p rank.
  int inNodeOf(int home, int rank) const { return home / G * G + rank % G; }
  /// The \p i-th of the other G-1 ranks of a node, beginning with another one for each \p chunk.
  int other(int rank, int i, int chunk) const { return inside(rank, 1 + (i + chunk) % (G - 1)); }

  /// Calls body() for rank 0, and repeats it for the others in their order; consecutive ranks own
  /// \p chunks successive chunks of a buffer that all ranks have.
  template <class Body> void forEachRank(Program &p, int chunks, Body body) const {
    p.orbit({{.ranks = N, .stride = G, .chunks = G * chunks}, {.ranks = G, .chunks = chunks}},
            body);
  }

  /// The two directions of a rail use separate channels, so that no threadblock serves both: its
  /// sends would delay its receives. All messages to ranks \p hops nodes further use the same one,
  /// so that both directions between opposite nodes share it. Programs use channels 0 and 3 inside
  /// the nodes.
  uint16_t channel(int hops) const { return 2 * hops <= N ? 1 : 2; }

  const int N, G;
};

} // namespace cclc::dsl

#endif // CCL_PROGRAMS_RAILS_H
