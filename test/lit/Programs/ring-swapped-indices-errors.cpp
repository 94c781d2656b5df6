// The last copies of chunks 0 and 1 have exchanged destinations.
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
      sum = next.reduce(sum);
    }
    for (int hop = 0; hop < R - 1; ++hop) {
      int index = c < 2 && hop == R - 2 ? 1 - c : c;
      sum = sum.copy((c + hop) % R, Output, index);
    }
  }
}

CCLC_PROGRAM(ring_swapped_indices) { d.collective(AllReduce).body(ring); }

// CHECK: {{.*}}ring-swapped-indices-errors.cpp:[[@LINE-11]]: error: wrong result: r0:o[1]: expected the reduction of chunk 1 over all 4 ranks, but r2:i[1] is missing, and r0:i[0], r1:i[0], r2:i[0] and 1 more are contained but must not be (5 more wrong cells)
