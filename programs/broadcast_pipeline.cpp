#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam root = rootParam("rank whose buffer is broadcast");
constexpr IntParam chunks = chunksParam(8);

void trace(Program &p) {
  const int R = p.ranks(), first = getRoot(p, root), C = p.get(chunks);
  p.chunks(C);
  p.root(first);
  for (int c = 0; c < C; ++c) {
    ChunkRef chunk = p.chunk(first, Input, c).copy(first, Output, c);
    for (int hop = 1; hop < R; ++hop)
      chunk = chunk.copy((first + hop) % R, Output, c);
  }
}
} // namespace

CCLC_PROGRAM(broadcast_pipeline) {
  d.collective(Broadcast)
      .summary(
          "The ranks form a chain that begins at the root; every rank forwards each chunk while "
          "the next one arrives. No rank sends more than the buffer once: suited to large buffers.")
      .source("Chan, Heimlich, Purkayastha and van de Geijn, Collective communication: theory, "
              "practice, and experience, CCPE 2007")
      .cost("R-2 + C steps, each of one of C chunks; a rank sends S, the last one nothing.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(root)
      .param(chunks)
      .body(trace);
}
