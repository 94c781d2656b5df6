#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam root{
    .name = "root", .help = "rank that has the data", .value = 0, .min = 0, .max = 65535};
constexpr IntParam chunks{.name = "chunks",
                          .help = "chunks that the buffer is cut into",
                          .value = 1,
                          .min = 1,
                          .max = 1024};

void trace(Program &p) {
  const int R = p.ranks(), first = p.get(root), C = p.get(chunks);
  if (first >= R)
    p.refuse("there is no rank " + std::to_string(first) + " to be the root: there are " +
             std::to_string(R));
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
