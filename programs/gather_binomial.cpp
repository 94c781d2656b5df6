#include "Parameters.h"

#include <algorithm>

using namespace cclc::dsl;

namespace {
constexpr IntParam root = rootParam("rank that receives the chunks");

/// Ranks are numbered from the root. The subtree of member i has the members [i, i + 2^k), where
/// 2^k is the lowest bit of i; member i collects their chunks in this order and forwards them.
void trace(Program &p) {
  const int R = p.ranks(), top = getRoot(p, root);
  p.root(top);
  auto rank = [&](int i) { return (top + i) % R; };
  Buffer collected = p.scratch("collected");

  p.chunk(top, Input, 0).copy(top, Output, top);
  for (int i = 1; i < R; ++i)
    if (i % 2 == 0 && i + 1 < R)
      p.chunk(rank(i), Input, 0).copy(rank(i), collected, 0);
  for (int width = 1; width < R; width *= 2)
    for (int i = width; i < R; i += 2 * width) {
      const int count = std::min(width, R - i), parent = i - width;
      ChunkRef subtree = p.chunk(rank(i), count == 1 ? Input : collected, 0, count);
      if (parent > 0) {
        subtree.copy(rank(parent), collected, width);
        continue;
      }
      // The output of the root is in the order of ranks, and one subtree may wrap around its end.
      const int straight = std::min(count, R - rank(i));
      if (straight == count) {
        subtree.copy(top, Output, rank(i));
        continue;
      }
      subtree.copy(top, collected, 0);
      p.chunk(top, collected, 0, straight).copy(top, Output, rank(i));
      p.chunk(top, collected, straight, count - straight).copy(top, Output, 0);
    }
}
} // namespace

CCLC_PROGRAM(gather_binomial) {
  d.collective(Gather)
      .summary("A binomial tree: in each of ceil(log2 R) steps half of the remaining ranks send "
               "all chunks of their subtree to one of the other half, in one message.")
      .source("Thakur, Rabenseifner and Gropp, Optimization of collective communication "
              "operations in MPICH, IJHPCA 2005")
      .cost("ceil(log2 R) steps; the root receives (R-1)/R S, and a rank sends the chunks of its "
            "subtree, at most half of S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(root)
      .body(trace);
}
