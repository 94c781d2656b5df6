#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam root = rootParam("rank whose buffer is broadcast");
constexpr IntParam chunks = chunksParam(4, "number of chunks of each half of the buffer");

/// A channel for each direction: a threadblock that served both would delay the sends of one by the
/// receives of the other.
void trace(Program &p) {
  const int R = p.ranks(), first = getRoot(p, root), C = p.get(chunks);
  p.chunks(2 * C);
  p.root(first);
  for (int c = 0; c < C; ++c)
    for (int half = 0; half < 2; ++half) {
      const int index = half * C + c;
      ChunkRef chunk = p.chunk(first, Input, index).copy(first, Output, index);
      for (int hop = 1; hop < R; ++hop)
        chunk = chunk.copy((first + (half ? R - hop : hop)) % R, Output, index, {.channel = half});
    }
}
} // namespace

CCLC_PROGRAM(broadcast_bidirectional_pipeline) {
  d.collective(Broadcast)
      .summary("Two chains that begin at the root and pass all ranks in opposite directions, each "
               "with half of the buffer; every rank forwards each chunk while the next one "
               "arrives. On rings and grids with full-duplex links this takes half the time of one "
               "chain for large buffers.")
      .source("Chan, Heimlich, Purkayastha and van de Geijn, Collective communication: theory, "
              "practice, and experience, CCPE 2007: the pipelined broadcast, in both directions at "
              "once")
      .cost("R-2 + C steps, each of one of the C chunks of a half; a rank sends S/2 to each of its "
            "two neighbours.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(root)
      .param(chunks)
      .body(trace);
}
