// A reduction of two chunks into one.
// RUN: not cclc %s --ranks 4 -o %t.json 2>&1 | FileCheck %s --match-full-lines
// --implicit-check-not={{.+}} RUN: not ls %t.json
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void body(Program &p) {
  p.chunks(2);
  ChunkRef one = p.chunk(0, Input, 0);
  ChunkRef two = p.chunk(1, Input, 0, 2);
  one.reduce(two);
}

CCLC_PROGRAM(unequal_counts) { d.collective(AllReduce).body(body); }

// CHECK: {{.*}}misuse-unequal-counts-errors.cpp:[[@LINE-5]]: error: unequal counts: r0:i[0] += r1:i[0:2], of 1 chunk and 2 chunks
