#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam root = rootParam("rank that has the data");
constexpr IntParam chunks = chunksParam();

void trace(Program &p) {
  const int R = p.ranks(), first = getRoot(p, root), C = p.get(chunks);
  p.chunks(C);
  p.root(first);
  // Ranks are counted from the root. In each step all that have the data pass it on.
  auto rank = [&](int i) { return (first + i) % R; };
  for (int c = 0; c < C; ++c) {
    p.chunk(first, Input, c).copy(first, Output, c);
    for (int have = 1; have < R; have *= 2)
      for (int i = 0; i < have && i + have < R; ++i)
        p.chunk(rank(i), Output, c).copy(rank(i + have), Output, c);
  }
}
} // namespace

CCLC_PROGRAM(broadcast_binomial) {
  d.collective(Broadcast)
      .summary("In ceil(log2 R) steps the ranks that have the data double: in each step every one "
               "of them passes it on to one that has not.")
      .source("Thakur, Rabenseifner and Gropp, Optimization of collective communication "
              "operations in MPICH, IJHPCA 2005")
      .cost("ceil(log2 R) steps of S; the root sends S in each.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(root)
      .param(chunks)
      .body(trace);
}
