#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
/// In place, the chunk from d replaces the one for d: it is received in scratch and copied when
/// that one has been sent.
void trace(Program &p) {
  const int R = p.ranks();
  if (!p.mayBeInPlace()) {
    for (int r = 0; r < R; ++r)
      for (int d = 0; d < R; ++d)
        p.chunk(r, Input, d).copy(d, Output, r);
    return;
  }
  Buffer arrived = p.scratch("arrived");
  for (int r = 0; r < R; ++r)
    for (int d = 0; d < R; ++d)
      if (d != r)
        p.chunk(r, Input, d).copy(d, arrived, r);
  for (int r = 0; r < R; ++r) {
    p.chunk(r, Input, r).copy(r, Output, r);
    for (int d = 0; d < R; ++d)
      if (d != r)
        p.chunk(r, arrived, d).copy(r, Output, d);
  }
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
