#include "cclc/DSL/DSL.h"

#include <numeric>

using namespace cclc::dsl;

namespace {
/// The switch adds chunk j of all ranks for rank j, and delivers the sum to all.
void trace(Program &p) {
  const int R = p.ranks();
  p.chunks(R);
  std::vector<int> all(R);
  std::iota(all.begin(), all.end(), 0);
  for (int j = 0; j < R; ++j) {
    ChunkRef own = p.chunk(j, Input, j).copy(j, Output, j);
    ChunkRef sum = p.reduceFrom(all, own, Input, j);
    p.multicast(all, sum, Output, j);
  }
}
} // namespace

CCLC_PROGRAM(allreduce_nvls) {
  d.collective(AllReduce)
      .summary("Rank j lets the switch add chunk j of all ranks, and multicast the sum. Suited to "
               "machines whose switches add and multicast, such as dgx-h100; on others, rank j "
               "adds the chunks and copies the sum itself.")
      .source("Klenk, Jiang, Thorson and Dennison, An in-network architecture for accelerating "
              "shared-memory multiprocessor collectives, ISCA 2020; NVLink SHARP")
      .cost("2 steps; a rank sends (R+1)/R S, or 2(R-1)/R S without such switches.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .forSwitches()
      .body(trace);
}
