// All-to-all in one step.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void trace(Program &p) {
  for (int from = 0; from < p.ranks(); ++from)
    for (int to = 0; to < p.ranks(); ++to)
      p.chunk(from, Input, to).copy(to, Output, from);
}

CCLC_PROGRAM(alltoall_allpairs) {
  d.collective(AllToAll).buffers(Buffers::OutOfPlace, Buffers::OutOfPlace).body(trace);
}
