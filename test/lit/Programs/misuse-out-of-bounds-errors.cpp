// A chunk index out of range.
// RUN: not cclc %s --ranks 4 -o %t.json 2>&1 | FileCheck %s --match-full-lines --implicit-check-not={{.+}}
// RUN: not ls %t.json
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void body(Program &p) {
  p.chunks(4);
  p.chunk(0, Input, 3, 2);
}

CCLC_PROGRAM(out_of_bounds) { d.collective(AllReduce).body(body); }

// CHECK: {{.*}}misuse-out-of-bounds-errors.cpp:[[@LINE-5]]: error: r0:i[3:5] is out of range: the buffer has 4 chunks
