#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam root = rootParam("rank that reduces the buffers");
constexpr IntParam chunks = chunksParam();
constexpr IntParam streams{.name = "streams",
                           .help = "ranks that the root fetches from concurrently; 0: all, 1: it "
                                   "receives and adds in one step, one rank after the other",
                           .value = 1,
                           .min = 0,
                           .max = 65535};

void trace(Program &p) {
  const int R = p.ranks(), center = getRoot(p, root), C = p.get(chunks);
  const int T = p.get(streams) ? p.get(streams) : R;
  p.chunks(C);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, C).copy(r, Output, 0);

  Buffer fetched = p.scratch("fetched");
  for (int c = 0; c < C; ++c) {
    p.phase("gather");
    ChunkRef sum = p.chunk(center, Output, c);
    for (int i = 1; i < R; ++i) {
      ChunkRef addend = p.chunk((center + i) % R, Output, c);
      // Fetches into different places overlap.
      if (T > 1)
        addend = addend.copy(center, fetched, (i - 1) % T * C + c);
      sum.reduce(addend, {.fuse = T == 1});
    }
    p.phase("broadcast");
    for (int i = 1; i < R; ++i)
      sum.copy((center + i) % R, Output, c);
  }
}
} // namespace

CCLC_PROGRAM(allreduce_centralized) {
  d.collective(AllReduce)
      .summary(
          "A star: every rank sends its buffer to the root, which reduces the buffers and "
          "sends the sum to all ranks. Two hops, but the root does all of the work. With several "
          "streams the root fetches in parallel and adds in the order of ranks.")
      .source("Myung et al., Design of Allreduce communication on NVIDIA Bluefield DPA")
      .cost("2 steps of R-1 messages each at the root, which receives and sends (R-1) S; every "
            "other rank sends S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(root)
      .param(chunks)
      .param(streams.doubled(16))
      .body(trace);
}
