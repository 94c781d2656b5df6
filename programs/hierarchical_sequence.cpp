#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam arity = arityParam();
constexpr IntParam flatFallback = flatFallbackParam(0);
constexpr IntParam stride{.name = "stride",
                          .help = "generations that a call of two phases reserves; with 2, the "
                                  "third call finds a gate closed",
                          .value = 3,
                          .min = 2,
                          .max = 3};

/// The regions that each call reads and writes: one chunk, or one from (for) every rank.
struct Layout {
  explicit Layout(int N)
      : N(N), gatherFrom{Input, 0, 1}, firstFrom{Input, 1, N}, sumFrom{Input, N + 1, 1},
        secondFrom{Input, N + 2, N}, gatherTo{Output, 0, N}, firstTo{Output, N, N},
        sumTo{Output, 2 * N, 1}, secondTo{Output, 2 * N + 1, N} {}
  int N;
  HierarchicalCommunicator::Region gatherFrom, firstFrom, sumFrom, secondFrom, gatherTo, firstTo,
      sumTo, secondTo;
};

void expectResults(Program &p, const Layout &at) {
  p.custom(2 * at.N + 2, 3 * at.N + 1);
  std::vector<std::pair<int, int>> summands;
  for (int r = 0; r < at.N; ++r)
    summands.emplace_back(r, at.sumFrom.index);
  for (int r = 0; r < at.N; ++r) {
    for (int q = 0; q < at.N; ++q) {
      p.expect(r, at.gatherTo.index + q, {{q, at.gatherFrom.index}});
      p.expect(r, at.firstTo.index + q, {{q, at.firstFrom.index + r}});
      p.expect(r, at.secondTo.index + q, {{q, at.secondFrom.index + r}});
    }
    p.expect(r, at.sumTo.index, summands);
  }
}

void trace(Program &p) {
  Layout at(p.ranks());
  expectResults(p, at);
  p.generationStride(p.get(stride));
  HierarchicalCommunicator world(p, {.arity = p.get(arity), .flatFallback = p.get(flatFallback)});
  world.allGather(1, at.gatherFrom, at.gatherTo);
  world.allToAll(2, at.firstFrom, at.firstTo);
  world.allReduce(3, at.sumFrom, at.sumTo);
  world.allToAll(4, at.secondFrom, at.secondTo);
}
} // namespace

CCLC_PROGRAM(hierarchical_sequence) {
  d.collective(Custom)
      .summary("Four consecutive calls on one hierarchical communicator, without a barrier between "
               "them: all-gather, all-to-all, all-reduce, all-to-all, with the user generations 1 "
               "to 4. They share the gates of the communicator and are kept apart by the internal "
               "generations 1, 3 / 4, 5, 6 / 7, 9 / 10, 11, 12.")
      .source("HPX discussion 7200, sections 9 and 12.5")
      .cost("That of the four calls; independent steps overlap.")
      .buffers(Buffers::OutOfPlace, Buffers::OutOfPlace)
      .ranks(1, 11)
      .param(arity)
      .param(flatFallback)
      .param(stride.fixed())
      .body(trace);
}
