#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam root = rootParam("rank that gets the sum");
constexpr IntParam chunks = chunksParam();

/// Ranks are counted from the root. Only the root has an output: others add in scratch, so that
/// nobody's input changes; the compiler sees which of it is never needed.
void trace(Program &p) {
  const int R = p.ranks(), last = getRoot(p, root), C = p.get(chunks);
  p.chunks(C);
  p.root(last);
  Buffer partial = p.scratch("partial");
  auto rank = [&](int i) { return (last + i) % R; };
  for (int c = 0; c < C; ++c) {
    for (int i = 0; i < R; ++i)
      p.chunk(rank(i), Input, c).copy(rank(i), i == 0 ? Output : partial, c);
    // In each step every other one of those that are left gives its sum to the one before it.
    for (int distance = 1; distance < R; distance *= 2)
      for (int i = 0; i + distance < R; i += 2 * distance) {
        ChunkRef sum = p.chunk(rank(i), i == 0 ? Output : partial, c);
        sum.reduce(p.chunk(rank(i + distance), partial, c));
      }
  }
}
} // namespace

CCLC_PROGRAM(reduce_binomial) {
  d.collective(Reduce)
      .summary("In ceil(log2 R) steps the ranks that have a sum become half as many: in each step "
               "every other one of them gives its sum to the one before it.")
      .source("Thakur, Rabenseifner and Gropp, Optimization of collective communication "
              "operations in MPICH, IJHPCA 2005")
      .cost("ceil(log2 R) steps; a rank sends S, the root nothing.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(root)
      .param(chunks)
      .body(trace);
}
