#include "Parameters.h"

#include <algorithm>
#include <bit>

using namespace cclc::dsl;

namespace {
constexpr IntParam root = rootParam("rank whose chunks are scattered");

/// Ranks are numbered from the root. The subtree of member i has the members [i, i + 2^k), where
/// 2^k is the lowest bit of i; member i receives their chunks in this order and forwards them.
void trace(Program &p) {
  const int R = p.ranks(), top = getRoot(p, root);
  p.root(top);
  auto rank = [&](int i) { return (top + i) % R; };
  Buffer held = p.scratch("held");

  // The input of the root is in the order of ranks, and one subtree may wrap around its end.
  auto fromRoot = [&](int i, int count) {
    const int straight = std::min(count, R - rank(i));
    if (straight == count)
      return p.chunk(top, Input, rank(i), count);
    p.chunk(top, Input, rank(i), straight).copy(top, held, 0);
    p.chunk(top, Input, 0, count - straight).copy(top, held, straight);
    return p.chunk(top, held, 0, count);
  };

  for (int width = std::bit_ceil(unsigned(R)) / 2; width > 0; width /= 2)
    for (int i = width; i < R; i += 2 * width) {
      const int count = std::min(width, R - i), parent = i - width;
      ChunkRef subtree =
          parent == 0 ? fromRoot(i, count) : p.chunk(rank(parent), held, width, count);
      subtree.copy(rank(i), count == 1 ? Output : held, 0);
    }
  p.chunk(top, Input, top).copy(top, Output, 0);
  for (int i = 2; i + 1 < R; i += 2)
    p.chunk(rank(i), held, 0).copy(rank(i), Output, 0);
}
} // namespace

CCLC_PROGRAM(scatter_binomial) {
  d.collective(Scatter)
      .summary("A binomial tree: in ceil(log2 R) steps every rank that has chunks for others sends "
               "those of one half of its subtree to the first rank of that half, in one message.")
      .source("Thakur, Rabenseifner and Gropp, Optimization of collective communication "
              "operations in MPICH, IJHPCA 2005")
      .cost("ceil(log2 R) steps; the root sends (R-1)/R S, and any other rank sends the chunks of "
            "its subtree except its own.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(root)
      .body(trace);
}
