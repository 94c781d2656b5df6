// Prints in every part of a program by every means.
#include "cclc/DSL/DSL.h"

#include <cstdio>
#include <iostream>
#include <unistd.h>

using namespace cclc::dsl;

static struct Talkative {
  Talkative() { std::cout << "constructor\n"; }
  ~Talkative() { std::cout << "destructor\n"; }
} talkative;

static void gather(Program &p) {
  std::cout << "body by cout\n";
  std::printf("body by printf\n");
  if (write(1, "body by write\n", 14) != 14)
    p.fail("cannot print");
  for (int r = 0; r < p.ranks(); ++r)
    for (int to = 0; to < p.ranks(); ++to)
      p.chunk(r, Input, 0).copy(to, Output, r);
}

CCLC_PROGRAM(prints) {
  std::printf("declaration\n");
  d.collective(AllGather)
      .buffers(Buffers::OutOfPlace, Buffers::OutOfPlace)
      .ranksFrom([](const ParamValues &) {
        std::puts("number of ranks");
        return 2;
      })
      .body(gather);
}
