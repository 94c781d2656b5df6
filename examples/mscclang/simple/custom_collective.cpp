// A custom collective: ranks 1 and 2 receive the chunk of rank 0, either both from rank 0, or rank
// 2 from rank 1.
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static constexpr ChoiceParam way{.name = "way",
                                 .help = "sender to rank 2: rank 0 or rank 1",
                                 .value = "star",
                                 .choices = {"star", "chain"}};

static void trace(Program &p) {
  if (p.ranks() != 3)
    p.refuse("there must be 3 ranks, not " + std::to_string(p.ranks()));
  p.custom(1, 1);
  for (int rank : {1, 2})
    p.expect(rank, 0, {{0, 0}});
  ChunkRef c = p.chunk(0, Input, 0);
  ChunkRef first = c.copy(1, Output, 0, {.channel = 0});
  ChunkRef &second = p.get(way) == "star" ? c : first;
  second.copy(2, Output, 0, {.channel = 1});
}

CCLC_PROGRAM(simple_custom_collective) {
  d.collective(Custom).buffers(Buffers::OutOfPlace, Buffers::OutOfPlace);
  d.ranks(3, 3).param(way).body(trace);
}
