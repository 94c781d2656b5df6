#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam root = rootParam("rank whose buffer is broadcast");

void trace(Program &p) {
  const int R = p.ranks(), first = getRoot(p, root);
  p.root(first);
  for (int distance = 0; distance < R; ++distance)
    p.chunk(first, Input, 0).copy((first + distance) % R, Output, 0);
}
} // namespace

CCLC_PROGRAM(broadcast_direct) {
  d.collective(Broadcast)
      .summary("The root sends its buffer to every other rank: R-1 messages in one step. Suited to "
               "small buffers.")
      .source("Chan, Heimlich, Purkayastha and van de Geijn, Collective communication: theory, "
              "practice, and experience, CCPE 2007")
      .cost("1 step of R-1 independent messages; the root sends (R-1) S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(root)
      .body(trace);
}
