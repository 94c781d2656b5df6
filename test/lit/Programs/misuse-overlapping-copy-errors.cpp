// A local copy whose source and destination overlap.
// RUN: not cclc %s --ranks 4 -o %t.json 2>&1 | FileCheck %s --match-full-lines --implicit-check-not={{.+}}
// RUN: not ls %t.json
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void body(Program &p) {
  p.chunks(3);
  ChunkRef two = p.chunk(0, Output, 0, 2);
  two.copy(0, Output, 1);
}

CCLC_PROGRAM(overlapping_copy) { d.collective(AllReduce).body(body); }

// CHECK: {{.*}}misuse-overlapping-copy-errors.cpp:[[@LINE-5]]: error: copy of overlapping ranges on r0
