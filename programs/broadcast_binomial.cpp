#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam root = rootParam("rank whose buffer is broadcast");
constexpr IntParam chunks = chunksParam();

void trace(Program &p) {
  const int R = p.ranks(), first = getRoot(p, root), C = p.get(chunks);
  p.chunks(C);
  p.root(first);
  // Ranks are numbered from the root. In each step all ranks that have the data forward them.
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
      .summary("In each of ceil(log2 R) steps every rank that has the data sends them to a rank "
               "that does not, so that the number of ranks with the data doubles.")
      .source("Thakur, Rabenseifner and Gropp, Optimization of collective communication "
              "operations in MPICH, IJHPCA 2005")
      .cost("ceil(log2 R) steps of S; the root sends S in each.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(root)
      .param(chunks)
      .body(trace);
}
