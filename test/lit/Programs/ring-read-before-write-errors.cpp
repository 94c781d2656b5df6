// Another rank's scratch is read before it was written.
// RUN: not cclc %s --ranks 4 -o %t.json 2>&1 | FileCheck %s --match-full-lines --implicit-check-not={{.+}}
// RUN: not ls %t.json
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void ring(Program &p) {
  const int R = p.ranks();
  p.chunks(R);
  Buffer sums = p.scratch("sums");
  for (int c = 0; c < R; ++c) {
    ChunkRef other = p.chunk((c + 1) % R, sums, c);
    other.copy(c, Output, c);
  }
}

CCLC_PROGRAM(ring_read_before_write) { d.collective(AllReduce).body(ring); }

// CHECK: {{.*}}ring-read-before-write-errors.cpp:[[@LINE-7]]: error: uninitialised read: r1:sums[0] has not been written
