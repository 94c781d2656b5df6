#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam root = rootParam("rank that receives the sum");
constexpr IntParam chunks = chunksParam();

/// Ranks are numbered from the root. Only the root has an output: the others reduce in scratch,
/// so that inputs are not modified; the compiler removes scratch copies that are not needed.
void trace(Program &p) {
  const int R = p.ranks(), last = getRoot(p, root), C = p.get(chunks);
  p.chunks(C);
  p.root(last);
  Buffer partial = p.scratch("partial");
  auto rank = [&](int i) { return (last + i) % R; };
  for (int c = 0; c < C; ++c) {
    for (int i = 0; i < R; ++i)
      p.chunk(rank(i), Input, c).copy(rank(i), i == 0 ? Output : partial, c);
    // In each step every second remaining rank sends its sum to the remaining rank before it.
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
      .summary("In each of ceil(log2 R) steps every second remaining rank sends its partial sum to "
               "the remaining rank before it, so that the number of partial sums is halved.")
      .source("Thakur, Rabenseifner and Gropp, Optimization of collective communication "
              "operations in MPICH, IJHPCA 2005")
      .cost("ceil(log2 R) steps; a rank sends S, the root nothing.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(root)
      .param(chunks)
      .body(trace);
}
