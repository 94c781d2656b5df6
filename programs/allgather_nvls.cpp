#include "cclc/DSL/DSL.h"

#include <numeric>

using namespace cclc::dsl;

namespace {
void trace(Program &p) {
  const int R = p.ranks();
  std::vector<int> all(R);
  std::iota(all.begin(), all.end(), 0);
  for (int r = 0; r < R; ++r)
    p.multicast(all, p.chunk(r, Input, 0), Output, r);
}
} // namespace

CCLC_PROGRAM(allgather_nvls) {
  d.collective(AllGather)
      .summary("Every rank multicasts its chunk by the switch. Suited to machines whose switches "
               "multicast, such as dgx-h100; on others, every rank sends its chunk to every other "
               "rank.")
      .source("Klenk, Jiang, Thorson and Dennison, An in-network architecture for accelerating "
              "shared-memory multiprocessor collectives, ISCA 2020; NVLink SHARP")
      .cost("1 step; a rank sends 1/R S, or (R-1)/R S without such switches.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .forSwitches()
      .body(trace);
}
