#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam arity = arityParam();
constexpr IntParam flatFallback = flatFallbackParam(16);
constexpr IntParam chunks = chunksParam();

void trace(Program &p) {
  const int F = p.get(chunks);
  p.chunks(F);
  HierarchicalCommunicator world(p, {.arity = p.get(arity), .flatFallback = p.get(flatFallback)});
  world.allReduce(1, {Input, 0, F}, {Output, 0, F});
}
} // namespace

CCLC_PROGRAM(allreduce_representatives) {
  d.collective(AllReduce)
      .summary("Reduces to the representatives of groups, level by level up to the first rank, and "
               "broadcasts the sum down the same levels: 2(R-1) messages.")
      .source("HPX pull request 7160, hierarchical all_reduce and all_gather")
      .cost("About 2 log_a R steps for arity a; a representative receives S from each of its "
            "a - 1 members and sends it back.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranks(1, 32)
      .param(arity)
      .param(flatFallback)
      .param(chunks)
      .body(trace);
}
