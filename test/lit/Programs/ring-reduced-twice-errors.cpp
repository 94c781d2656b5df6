// Rank 2 adds the same chunk twice.
// RUN: not cclc %s --ranks 4 -o %t.json 2>&1 | FileCheck %s --match-full-lines --implicit-check-not={{.+}}
// RUN: not ls %t.json
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void ring(Program &p) {
  const int R = p.ranks();
  p.chunks(R);
  for (int c = 0; c < R; ++c) {
    ChunkRef sum = p.chunk(c, Output, c);
    for (int hop = 1; hop < R; ++hop) {
      ChunkRef next = p.chunk((c + hop) % R, Output, c);
      if (c == 1 && hop == 1)
        next.reduce(sum);
      sum = next.reduce(sum);
    }
    for (int hop = 0; hop < R - 1; ++hop) {
      sum = sum.copy((c + hop) % R, Output, c);
    }
  }
}

CCLC_PROGRAM(ring_reduced_twice) { d.collective(AllReduce).body(ring); }

// CHECK: {{.*}}ring-reduced-twice-errors.cpp:[[@LINE-10]]: error: wrong result: r0:o[1]: expected the reduction of chunk 1 over all 4 ranks, but r1:i[1] is contained more than once (3 more wrong cells)
