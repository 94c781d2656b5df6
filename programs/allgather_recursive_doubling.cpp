#include "Inversions.h"

#include <algorithm>
#include <bit>

using namespace cclc::dsl;

namespace {
/// The first ranks form pairs, so that the number of groups (pairs, then single ranks) is a power
/// of two. The chunks of consecutive groups are consecutive.
void trace(Program &p) {
  const int R = p.ranks();
  const int groups = std::bit_floor(unsigned(R)), pairs = R - groups;
  auto leader = [&](int g) { return g + std::min(g, pairs); };

  p.phase("fold");
  auto keepChunks = [](int) { return 0; }; // the output follows the ranks
  onCore(p, groups, keepChunks,
         [&](int g) { p.chunk(leader(g), Input, 0).copy(leader(g), Output, leader(g)); });
  for (int g = 0; g < pairs; ++g)
    p.chunk(leader(g) + 1, Input, 0).copy(leader(g), Output, leader(g) + 1);

  // Before the step at distance d, every leader has the chunks of d consecutive groups, including
  // its own.
  p.phase("exchange");
  for (int distance = 1; distance < groups; distance *= 2)
    onCore(p, groups, keepChunks, [&](int g) {
      const int first = g & -distance;
      const int begin = leader(first), end = leader(first + distance);
      p.chunk(leader(g), Output, begin, end - begin).copy(leader(g ^ distance), Output, begin);
    });

  p.phase("unfold");
  for (int g = 0; g < pairs; ++g)
    p.chunk(leader(g), Output, 0, R).copy(leader(g) + 1, Output, 0);
}
} // namespace

CCLC_PROGRAM(allgather_recursive_doubling) {
  d.collective(AllGather)
      .summary("In log2 R steps every rank exchanges all of its chunks with a partner at distance "
               "1, 2, 4, ...; each exchange is one message in each direction, because the chunks "
               "are contiguous. If R is not a power of two, the first ranks form pairs: one rank "
               "of a pair sends its chunk to the other at the beginning and receives the result "
               "from it at the end.")
      .source("Thakur, Rabenseifner and Gropp, Optimization of collective communication "
              "operations in MPICH, IJHPCA 2005")
      .cost("log2 R steps, in which a rank sends (R-1)/R S. If R is not a power of two, two more "
            "steps; in the last one, one rank of each pair sends S to the other.")
      .buffers(Buffers::Both, Buffers::InPlace)
      .body(trace);
}
