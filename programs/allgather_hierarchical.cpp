#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam arity = arityParam();
constexpr IntParam flatFallback = flatFallbackParam(16);
constexpr IntParam chunks = chunksParam(1, "number of chunks of each rank's contribution");

void trace(Program &p) {
  const int F = p.get(chunks);
  p.chunks(F);
  HierarchicalCommunicator world(p, {.arity = p.get(arity), .flatFallback = p.get(flatFallback)});
  world.allGather(1, {Input, 0, F}, {Output, 0, p.ranks() * F});
}
} // namespace

CCLC_PROGRAM(allgather_hierarchical) {
  d.collective(AllGather)
      .summary("Gathers to the representatives of groups, level by level up to the first rank, and "
               "broadcasts the result down the same levels: 2(R-1) messages.")
      .source("HPX pull request 7160, hierarchical all_reduce and all_gather")
      .cost("About 2 log_a R steps for arity a; the first rank sends S to each of the a - 1 other "
            "representatives.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranks(1, 32)
      .param(arity)
      .param(flatFallback)
      .param(chunks)
      .body(trace);
}
