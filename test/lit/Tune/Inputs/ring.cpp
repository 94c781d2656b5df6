#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static constexpr IntParam chunks{
    .name = "chunks", .help = "chunks of a rank", .value = 1, .min = 1, .max = 8};

static void ring(Program &p) {
  const int F = p.get(chunks);
  p.chunks(F);
  for (int r = 0; r < p.ranks(); ++r) {
    ChunkRef chunk = p.chunk(r, Output, r * F, F);
    for (int hop = 1; hop < p.ranks(); ++hop)
      chunk = chunk.copy((r + hop) % p.ranks());
  }
}

CCLC_PROGRAM(allgather_ring) { d.collective(AllGather).param(chunks).body(ring); }
