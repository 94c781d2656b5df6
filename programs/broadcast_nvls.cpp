#include "Parameters.h"

#include <numeric>

using namespace cclc::dsl;

namespace {
constexpr IntParam root = rootParam("rank whose buffer is broadcast");
constexpr IntParam chunks = chunksParam();

void trace(Program &p) {
  const int R = p.ranks(), C = p.get(chunks), from = getRoot(p, root);
  p.root(from);
  p.chunks(C);
  std::vector<int> all(R);
  std::iota(all.begin(), all.end(), 0);
  for (int c = 0; c < C; ++c)
    p.multicast(all, p.chunk(from, Input, c), Output, c);
}
} // namespace

CCLC_PROGRAM(broadcast_nvls) {
  d.collective(Broadcast)
      .summary("The root multicasts its buffer by the switch. Suited to machines whose switches "
               "multicast, such as dgx-h100; on others, the root sends to every other rank.")
      .source("Klenk, Jiang, Thorson and Dennison, An in-network architecture for accelerating "
              "shared-memory multiprocessor collectives, ISCA 2020; NVLink SHARP")
      .cost("1 step; the root sends S, or (R-1) S without such switches.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .forSwitches()
      .param(root)
      .param(chunks)
      .body(trace);
}
