#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
/// Rank 0 sends to 1, 2, ... in this order, so that not all ranks send to the same rank first.
void trace(Program &p) {
  const int R = p.ranks();
  p.orbit({{.ranks = R}}, [&] {
    for (int r = 0; r < R; ++r)
      p.chunk(0, Input, 0).copy(r, Output, 0);
  });
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
