#include "Inversions.h"

#include <bit>

using namespace cclc::dsl;

namespace {
void trace(Program &p) {
  const int R = p.ranks();
  const int core = std::bit_floor(unsigned(R)); // also the number of chunks
  p.chunks(core);
  // The bit of the chunks that decides which half a rank keeps at distance d.
  auto bitOfHalf = [&](int d) { return core / (2 * d); };
  onCore(p, core, bitOfHalf, [&](int r) { p.chunk(r, Input, 0, core).copy(r, Output, 0); });
  for (int r = core; r < R; ++r)
    p.chunk(r, Input, 0, core).copy(r, Output, 0);

  // Ranks beyond the largest power of two first add their data to those of a partner.
  p.phase("fold");
  for (int r = core; r < R; ++r) {
    ChunkRef partner = p.chunk(r - core, Output, 0, core);
    partner.reduce(p.chunk(r, Output, 0, core));
  }

  // Before the step at distance d a rank is responsible for core/d chunks. It keeps their lower
  // half if its bit d is 0, and their upper half if it is 1.
  auto half = [&](int rank, int distance) {
    int first = 0;
    for (int d = 1; d <= distance; d *= 2)
      if (rank & d)
        first += bitOfHalf(d);
    return p.chunk(rank, Output, first, bitOfHalf(distance));
  };
  p.phase("reduce-scatter");
  for (int distance = 1; distance < core; distance *= 2)
    onCore(p, core, bitOfHalf, [&](int r) {
      ChunkRef kept = half(r, distance);
      const int partner = r ^ distance;
      kept.reduce(p.chunk(partner, Output, kept.index(), kept.count()));
    });
  p.phase("all-gather");
  for (int distance = core / 2; distance > 0; distance /= 2)
    onCore(p, core, bitOfHalf, [&](int r) { half(r, distance).copy(r ^ distance); });

  p.phase("unfold");
  for (int r = core; r < R; ++r)
    p.chunk(r - core, Output, 0, core).copy(r, Output, 0);
}
} // namespace

CCLC_PROGRAM(allreduce_halving_doubling) {
  d.collective(AllReduce)
      .summary("Reduce-scatter by recursive halving: at distance 1, 2, 4, ... each rank sends one "
               "half of the chunks that it is responsible for to its partner, and adds the "
               "partner's other half to its own. Then all-gather by recursive doubling, with the "
               "same steps in reverse order. Sends as few bytes as a ring, in far fewer steps. If "
               "R is not a power of two, each excess rank sends its data to a partner at the "
               "beginning and receives the result from it at the end.")
      .source("Rabenseifner, Optimization of collective reduction operations, ICCS 2004")
      .cost("2 log2 R steps, and two more if R is not a power of two; a rank sends 2(R-1)/R S, and "
            "the partner of an excess rank sends S more.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .body(trace);
}
