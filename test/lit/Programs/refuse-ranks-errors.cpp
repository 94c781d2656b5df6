// A program rejects unsupported numbers of ranks itself: that is not an error in the algorithm.
// RUN: not cclc %s --ranks 3 -o %t.json 2>&1 | FileCheck %s --match-full-lines --implicit-check-not={{.+}}
// RUN: not ls %t.json
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void body(Program &p) {
  if (p.ranks() % 2 != 0)
    p.refuse("needs an even number of ranks, not " + std::to_string(p.ranks()));
}

CCLC_PROGRAM(even_only) { d.collective(AllReduce).body(body); }

// CHECK: {{.*}}refuse-ranks-errors.cpp:[[@LINE-5]]: error: needs an even number of ranks, not 3
