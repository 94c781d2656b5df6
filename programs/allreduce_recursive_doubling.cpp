#include "Inversions.h"
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
  auto keepChunks = [](int) { return 0; };
  onCore(p, core, keepChunks, [&](int r) { p.chunk(r, Input, 0, C).copy(r, Output, 0); });
  for (int r = core; r < R; ++r)
    p.chunk(r, Input, 0, C).copy(r, Output, 0);

  // Ranks beyond the largest power of two first add their data to those of a partner.
  p.phase("fold");
  for (int r = core; r < R; ++r) {
    ChunkRef partner = p.chunk(r - core, Output, 0, C);
    partner.reduce(p.chunk(r, Output, 0, C));
  }

  // In step k rank i exchanges its partial sum with rank i XOR 2^(k-1). Both need the old value of
  // the other, so that it is received in scratch.
  p.phase("exchange");
  Buffer received = p.scratch("received");
  int step = 0;
  for (int distance = 1; distance < core; distance *= 2, ++step) {
    onCore(p, core, keepChunks,
           [&](int r) { p.chunk(r, Output, 0, C).copy(r ^ distance, received, step * C); });
    onCore(p, core, keepChunks, [&](int r) {
      ChunkRef sum = p.chunk(r, Output, 0, C);
      sum.reduce(p.chunk(r, received, step * C, C));
    });
  }

  p.phase("unfold");
  for (int r = core; r < R; ++r)
    p.chunk(r - core, Output, 0, C).copy(r, Output, 0);
}
} // namespace

CCLC_PROGRAM(allreduce_recursive_doubling) {
  d.collective(AllReduce)
      .summary("In log2 R steps every rank exchanges its whole buffer with a partner at distance "
               "1, 2, 4, ... and adds the received buffer. Fewest steps, most bytes: suited to "
               "small buffers. If R is not a power of two, each excess rank sends its data to a "
               "partner at the beginning and receives the result from it at the end.")
      .source("Thakur, Rabenseifner and Gropp, Optimization of collective communication "
              "operations in MPICH, IJHPCA 2005")
      .cost("log2 R steps, and two more if R is not a power of two; a rank sends S in each.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(chunks)
      .body(trace);
}
