#include "Parameters.h"

#include <bit>

using namespace cclc::dsl;

namespace {
constexpr IntParam chunks = chunksParam();

void trace(Program &p) {
  const int R = p.ranks();
  const int core = std::bit_floor(unsigned(R));
  const int C = p.get(chunks);
  p.chunks(C);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, C).copy(r, Output, 0);

  // Ranks beyond the largest power of two give their data to a partner first.
  p.phase("fold");
  for (int r = core; r < R; ++r) {
    ChunkRef partner = p.chunk(r - core, Output, 0, C);
    partner.reduce(p.chunk(r, Output, 0, C));
  }

  // In step k rank i exchanges all it has with rank i XOR 2^(k-1). Both need the other's old
  // value, so it goes through scratch.
  p.phase("exchange");
  Buffer received = p.scratch("received");
  int step = 0;
  for (int distance = 1; distance < core; distance *= 2, ++step) {
    for (int r = 0; r < core; ++r)
      p.chunk(r, Output, 0, C).copy(r ^ distance, received, step * C);
    for (int r = 0; r < core; ++r) {
      ChunkRef sum = p.chunk(r, Output, 0, C);
      sum.reduce(p.chunk(r, received, step * C, C));
    }
  }

  p.phase("unfold");
  for (int r = core; r < R; ++r)
    p.chunk(r - core, Output, 0, C).copy(r, Output, 0);
}
} // namespace

CCLC_PROGRAM(allreduce_recursive_doubling) {
  d.collective(AllReduce)
      .summary("In log2 R steps every rank exchanges its whole buffer with a partner at distance "
               "1, 2, 4, ... and adds what it gets. Fewest steps, most bytes: for small buffers. "
               "If R is not a power of two, the excess ranks are folded in before and out after.")
      .source("Thakur, Rabenseifner and Gropp, Optimization of collective communication "
              "operations in MPICH, IJHPCA 2005")
      .cost("log2 R steps, two more where R is no power of two; a rank sends S in each.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(chunks)
      .body(trace);
}
