// Each rank adds its own data first. The result is right, but of three ranks each rounds differently:
// (a + b) + c, (b + a) + c and (c + a) + b. With two ranks, only the operands are exchanged.
// RUN: cclc %s --ranks 3 --stats -o %t.json | FileCheck %s --check-prefix=NO
// NO: same bits on all ranks no{{$}}
// RUN: cclc %s --ranks 3 --stats=json -o %t.json | FileCheck %s --check-prefix=JSON
// JSON: "same_bits": false
// RUN: ccl-sim verify %t.json --json %t.report | FileCheck %s --check-prefix=DIFFER
// DIFFER: ok with 8 slots, needs 1, reduction hash {{[0-9a-f]+}}, different bits on the ranks{{$}}
// RUN: FileCheck %s --check-prefix=JSON < %t.report
// RUN: cclc %s --ranks 2 --stats -o %t.two.json | FileCheck %s --check-prefix=YES
// YES: same bits on all ranks yes{{$}}
// RUN: ccl-sim verify %t.two.json | FileCheck %s --check-prefix=SAME
// SAME: , same bits on all ranks{{$}}
// RUN: cclc allgather_ring --ranks 3 --stats | FileCheck %s --check-prefix=NONE --implicit-check-not=bits
// NONE: reduction hash
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void exchange(Program &p) {
  const int R = p.ranks();
  p.chunks(1);
  Buffer arrived = p.scratch("arrived");
  for (int r = 0; r < R; ++r)
    for (int q = 0; q < R; ++q)
      if (q != r)
        p.chunk(r, Input, 0).copy(q, arrived, r);
  for (int r = 0; r < R; ++r)
    for (int q = 0; q < R; ++q)
      if (q != r)
        p.chunk(r, Input, 0).reduce(p.chunk(r, arrived, q));
}

CCLC_PROGRAM(own_data_first) {
  d.collective(AllReduce).ranks(2, 3).body(exchange);
}
