#include "Parameters.h"

using namespace cclc::dsl;

namespace {
constexpr IntParam arity = arityParam();
constexpr IntParam flatFallback = flatFallbackParam(16);
constexpr ChoiceParam layout{.name = "layout",
                             .help = "sizes of the blocks between groups: their own, or all padded "
                                     "to the largest",
                             .value = "ragged",
                             .choices = {"ragged", "padded"}};
constexpr IntParam leaders{.name = "leaders",
                           .help = "ranks of a group that exchange blocks, each with some of the "
                                   "other groups",
                           .value = 1,
                           .min = 1,
                           .max = 1024};
constexpr IntParam chunks = chunksParam(1, "number of chunks from each rank to each rank");

void trace(Program &p) {
  const int F = p.get(chunks), N = p.ranks();
  p.chunks(F);
  HierarchicalCommunicator world(
      p, {.arity = p.get(arity),
          .flatFallback = p.get(flatFallback),
          .layout = p.get(layout) == "padded" ? BlockLayout::Padded : BlockLayout::Ragged,
          .leaders = p.get(leaders)});
  world.allToAll(1, {Input, 0, N * F}, {Output, 0, N * F});
}
} // namespace

CCLC_PROGRAM(alltoall_hierarchical) {
  d.collective(AllToAll)
      .summary("Few large messages instead of many small ones: each top-level group of ranks "
               "gathers, level by level, to its first rank; these representatives exchange blocks; "
               "each scatters the received blocks to its group. A representative holds up to (2/a "
               "+ 1/a^2) R S for arity a, so that the algorithm is suited to small messages.")
      .source(
          "HPX discussion 7200, Design discussion: hierarchical all_to_all; Traeff and Rougier, "
          "MPI Collectives and Datatypes for Hierarchical All-to-all Communication, "
          "EuroMPI 2014")
      .cost("With G top-level groups, 2(R-G) + G(G-1) messages instead of R(R-1), of which 3 + 2 "
            "log_a(R/a) are serialised. A representative sends up to R/G S to the other G - 1 and "
            "as much to its group.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .ranks(1, 32)
      .param(arity)
      .param(flatFallback)
      .param(layout)
      .param(leaders.tuned({2, 3, 4, 8}))
      .param(chunks)
      .body(trace);
}
