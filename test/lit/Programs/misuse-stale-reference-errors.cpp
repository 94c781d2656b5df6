// In place, input and output of an all-reduce are the same cells.
// RUN: not cclc %s --ranks 4 -o %t.json 2>&1 | FileCheck %s --match-full-lines --implicit-check-not={{.+}}
// RUN: not ls %t.json
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void body(Program &p) {
  ChunkRef old = p.chunk(0, Input, 0);
  ChunkRef other = p.chunk(1, Input, 0);
  other.copy(0, Output, 0);
  old.copy(1, Output, 0);
}

CCLC_PROGRAM(stale_reference) { d.collective(AllReduce).body(body); }

// CHECK: {{.*}}misuse-stale-reference-errors.cpp:[[@LINE-5]]: error: stale reference: r0:i[0] was overwritten since the reference was taken
// CHECK-NEXT: {{.*}}misuse-stale-reference-errors.cpp:[[@LINE-7]]: note: it was overwritten here
