// Two threadblocks of a rank cannot both own the connection to the same peer on one channel.
// RUN: not cclc %s --ranks 2 -o %t.json 2>&1 | FileCheck %s --match-full-lines --implicit-check-not={{.+}}
// RUN: not ls %t.json
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void body(Program &p) {
  p.chunks(2);
  ChunkRef first = p.chunk(0, Input, 0);
  first.copy(1, Output, 0, {.channel = 0, .sendTb = 0, .recvTb = 0});
  ChunkRef second = p.chunk(0, Input, 1);
  second.copy(1, Output, 1, {.channel = 0, .sendTb = 1, .recvTb = 0});
}

CCLC_PROGRAM(shared_connection) { d.collective(Broadcast).body(body); }

// CHECK: {{.*}}directive-shared-connection-errors.cpp:[[@LINE-5]]: error: threadblock tb1 on r0 cannot send to r1 on channel 0: threadblock tb0 owns that side of the connection
// CHECK-NEXT: {{.*}}directive-shared-connection-errors.cpp:[[@LINE-8]]: note: it does so here
// CHECK-NEXT: cclc: note: pass 'schedule' failed
