#include "cclc/DSL/DSL.h"

#include <utility>
#include <vector>

using namespace cclc::dsl;

namespace {
constexpr IntParam chunks{.name = "chunks",
                          .help = "number of chunks that are pipelined through each tree",
                          .value = 4,
                          .min = 1,
                          .max = 512};

/// Pairs of parent and child, bottom-up.
using Edges = std::vector<std::pair<int, int>>;

/// Builds a binary tree of minimum depth over the places [first, last), which are odd in number.
/// In in-order, the leaves are first, first+2, ..., last-1, and all other places have two
/// children. Returns the root.
int build(int first, int last, Edges &edges) {
  const int leaves = (last - first + 1) / 2;
  if (leaves == 1)
    return first;
  const int top = first + leaves / 2 * 2 - 1;
  const int left = build(first, top, edges), right = build(top + 1, last, edges);
  edges.push_back({top, left});
  edges.push_back({top, right});
  return top;
}

void trace(Program &p) {
  const int R = p.ranks(), C = p.get(chunks);
  p.chunks(2 * C);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, 2 * C).copy(r, Output, 0);

  // If R is even, rank 0 is the root, and its only child is the root of a tree of the others.
  Edges edges;
  if (R % 2 == 0)
    edges.push_back({0, build(1, R, edges)});
  else
    build(0, R, edges);

  for (int c = 0; c < 2 * C; ++c) {
    // Chunks of the two halves alternate. Inner nodes of the first tree are leaves of the second:
    // ranks are mirrored or, if R is odd and mirroring keeps inner nodes, shifted by one place.
    const bool second = c % 2;
    auto at = [&](int place) {
      const int rank = !second ? place : R % 2 == 0 ? R - 1 - place : (place + 1) % R;
      return p.chunk(rank, Output, second * C + c / 2);
    };
    const Via via{.channel = second};
    p.phase("reduce");
    for (auto [parent, child] : edges)
      at(parent).reduce(at(child), via);
    p.phase("broadcast");
    for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge)
      at(edge->first).copy(at(edge->second).rank(), via);
  }
}
} // namespace

CCLC_PROGRAM(allreduce_double_binary_tree) {
  d.collective(AllReduce)
      .summary(
          "Two binary trees, each of which reduces half of the buffer to its root and broadcasts "
          "the sum, pipelined chunk by chunk. Inner nodes of one tree are leaves of the other, so "
          "that all ranks send about the same number of bytes, in a logarithmic number of steps.")
      .source("Sanders, Speck and Traeff, Two-tree algorithms for full bandwidth broadcast, "
              "reduction and scan, Parallel Computing 2009; the trees of NCCL 2.4")
      .cost("At most 2 ceil(log2 R) steps for the first chunk; the others are pipelined behind it. "
            "A rank sends at most 2 S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(chunks)
      .body(trace);
}
