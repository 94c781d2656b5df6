#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
/// In place, the chunk from d replaces the one for d: it is received in scratch and copied when
/// that one has been sent.
void trace(Program &p) {
  const int R = p.ranks();
  auto forEachRank = [&](auto body) { p.orbit({{.ranks = R}}, body); };
  if (!p.mayBeInPlace()) {
    forEachRank([&] {
      for (int d = 0; d < R; ++d)
        p.chunk(0, Input, d).copy(d, Output, 0);
    });
    return;
  }
  Buffer arrived = p.scratch("arrived"); // by distance
  forEachRank([&] {
    for (int d = 1; d < R; ++d)
      p.chunk(0, Input, d).copy(d, arrived, d - 1);
  });
  forEachRank([&] {
    p.chunk(0, Input, 0).copy(0, Output, 0);
    for (int d = 1; d < R; ++d)
      p.chunk(d, arrived, d - 1).copy(d, Output, 0);
  });
}
} // namespace

CCLC_PROGRAM(alltoall_direct) {
  d.collective(AllToAll)
      .summary("Every rank sends a chunk to every other rank: R(R-1) messages in one step. Suited "
               "to few ranks or large chunks.")
      .source("the linear exchange of MPI implementations")
      .cost("R-1 independent messages per rank; a rank sends (R-1)/R S.")
      .buffers(Buffers::Both, Buffers::OutOfPlace)
      .body(trace);
}
