// All-reduce on binomial trees: reduce to rank 0 and broadcast. With two trees, half of the data is
// reduced to the last rank instead.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static constexpr IntParam trees{
    .name = "trees", .help = "trees; the second one is mirrored", .value = 1, .min = 1, .max = 2};

/// Chunk c; \p at(0) is the root, and the parent of at(i) is at(i without its lowest set bit).
template <class At> static void tree(Program &p, int c, At at) {
  const int R = p.ranks();
  int distance = 1;
  for (; distance < R; distance *= 2)
    for (int i = 0; i + distance < R; i += 2 * distance)
      p.chunk(at(i), Input, c).reduce(p.chunk(at(i + distance), Input, c));
  for (distance /= 2; distance >= 1; distance /= 2)
    for (int i = 0; i + distance < R; i += 2 * distance)
      p.chunk(at(i), Input, c).copy(at(i + distance));
}

static void trace(Program &p) {
  p.chunks(p.get(trees));
  tree(p, 0, [](int i) { return i; });
  if (p.get(trees) == 2)
    tree(p, 1, [&](int i) { return p.ranks() - 1 - i; });
}

CCLC_PROGRAM(allreduce_binomial_tree) { d.collective(AllReduce).param(trees).body(trace); }
