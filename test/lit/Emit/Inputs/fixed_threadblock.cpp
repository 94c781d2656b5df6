#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

/// 65 messages on one threadblock.
static void trace(Program &p) {
  p.chunks(65);
  for (int c = 0; c < 65; ++c)
    p.chunk(0, Input, c).copy(1, Output, c, {.channel = 0, .sendTb = 0});
}

CCLC_PROGRAM(fixed_threadblock) {
  d.collective(Broadcast).buffers(Buffers::InPlace, Buffers::InPlace).ranks(2, 2).body(trace);
}
