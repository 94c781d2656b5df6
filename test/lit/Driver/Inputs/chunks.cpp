// Uses the number of chunks CHUNKS of the header that is found.
#include "cclc/DSL/DSL.h"
#if __has_include("here.h")
#include "here.h"
#else
#include <chunks-of-the-environment.h>
#endif

using namespace cclc::dsl;

static void send(Program &p) {
  p.chunks(CHUNKS);
  for (int r = 0; r < p.ranks(); ++r)
    p.chunk(0, Input, 0, CHUNKS).copy(r, Output, 0);
}

CCLC_PROGRAM(chunks) {
  d.collective(Broadcast).buffers(Buffers::OutOfPlace, Buffers::OutOfPlace).ranks(2, 2).body(send);
}
