#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
/// Rank r sends to r+1, r+2, ... in this order, so that not all ranks send to the same rank first.
void trace(Program &p) {
  const int R = p.ranks();
  for (int r = 0; r < R; ++r)
    for (int distance = 0; distance < R; ++distance)
      p.chunk(r, Input, 0).copy((r + distance) % R, Output, r);
}
} // namespace

CCLC_PROGRAM(allgather_allpairs) {
  d.collective(AllGather)
      .summary("Every rank sends its chunk to every other rank: R(R-1) messages in one step. "
               "Suited to few ranks or small chunks.")
      .source("Cowan et al., MSCCLang, ASPLOS 2023")
      .cost("1 step of R-1 independent messages; a rank sends (R-1)/R S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .body(trace);
}
