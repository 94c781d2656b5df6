#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam root{
    .name = "root", .help = "rank that sums up", .value = 0, .min = 0, .max = 65535};
constexpr IntParam chunks{.name = "chunks",
                          .help = "chunks that the buffer is cut into",
                          .value = 1,
                          .min = 1,
                          .max = 1024};

void trace(Program &p) {
  const int R = p.ranks(), center = p.get(root), C = p.get(chunks);
  if (center >= R)
    p.refuse("there is no rank " + std::to_string(center) + " to be the root: there are " +
             std::to_string(R));
  p.chunks(C);
  for (int r = 0; r < R; ++r)
    p.chunk(r, Input, 0, C).copy(r, Output, 0);

  for (int c = 0; c < C; ++c) {
    p.phase("gather");
    ChunkRef sum = p.chunk(center, Output, c);
    for (int i = 1; i < R; ++i)
      sum.reduce(p.chunk((center + i) % R, Output, c));
    p.phase("broadcast");
    for (int i = 1; i < R; ++i)
      sum.copy((center + i) % R, Output, c);
  }
}
} // namespace

CCLC_PROGRAM(allreduce_centralized) {
  d.collective(AllReduce)
      .summary("A star: everybody sends everything to the root, which adds it up and sends the sum "
               "to everybody. Two hops, but the root does all of the work.")
      .source("Myung et al., Design of Allreduce communication on NVIDIA Bluefield DPA")
      .cost("2 steps, of R-1 messages each at the root, which receives and sends (R-1) S; every "
            "other rank sends S.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .param(root)
      .param(chunks)
      .body(trace);
}
