// The ring omits rank 0 when it reduces chunk 2.
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
      if (c == 2 && hop == 2)
        continue;
      ChunkRef next = p.chunk((c + hop) % R, Output, c);
      sum = next.reduce(sum);
    }
    for (int hop = 0; hop < R - 1; ++hop) {
      sum = sum.copy((c + hop) % R, Output, c);
    }
  }
}

CCLC_PROGRAM(ring_dropped_reduce) { d.collective(AllReduce).body(ring); }

// CHECK: {{.*}}ring-dropped-reduce-errors.cpp:[[@LINE-7]]: error: wrong result: r0:o[2]: expected the reduction of chunk 2 over all 4 ranks, but r0:i[2] is missing (3 more wrong cells)
// CHECK-NEXT: {{.*}}ring-dropped-reduce-errors.cpp:[[@LINE-11]]: note: the last operand was added here
