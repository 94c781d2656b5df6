#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
/// In place, the chunk that comes from d replaces the one that goes to d: it waits
/// in scratch until that one is on its way.
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
      .summary("Every rank sends every other rank its chunk: R(R-1) messages, one step. For few "
               "ranks or large chunks.")
      .source("the linear exchange of MPI implementations")
      .cost("R-1 messages of a rank, all independent; a rank sends (R-1)/R S.")
      .buffers(Buffers::Both, Buffers::OutOfPlace)
      .body(trace);
}
