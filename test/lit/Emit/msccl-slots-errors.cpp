// A plan that needs more slots than a runtime or a target has messages in flight would hang there.
// RUN: cclc %s --stats | FileCheck %s --check-prefix=NEEDS
// RUN: not cclc %s --emit=xml --slots 8 2>&1 | FileCheck %s --match-full-lines
// RUN: not cclc %s --ranks 2 --target ndv4 --slots 8 -o %t.json 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not cclc %s --ranks 2 --target ring --set queue.slots=2 --slots 8 -o %t.json 2>&1 | FileCheck %s --check-prefix=QUEUES
// RUN: cclc %s --emit=xml --slots 8 --protocol LL -o %t.xml 2>&1 | count 0
// RUN: cclc %s --emit=xml -o %t.xml 2>&1 | count 0
// RUN: ccl-sim verify %t.xml --slots 2 | FileCheck %s --check-prefix=TWO
// NEEDS: slots needed                   3  of 8
// CHECK: cclc: error: illegal for msccl: 3 slots needed, the limit is 2 with protocol Simple; compile with --slots 2
// TARGET: cclc: error: illegal for target ndv4: 3 slots needed, the limit is 2 with protocol Simple; compile with --slots 2{{$}}
// QUEUES: cclc: error: illegal for target ring: 3 slots needed, the limit is 2 with its queues; compile with --slots 2{{$}}
// TWO: ok with 2 slots
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

// Each of two ranks sends three chunks before its first receive.
static void exchange(Program &p) {
  p.chunks(3);
  for (int chunk = 0; chunk < 3; ++chunk)
    for (int rank = 0; rank < 2; ++rank) {
      ChunkRef mine = p.chunk(rank, Input, (1 - rank) * 3 + chunk);
      mine.copy(1 - rank, Output, rank * 3 + chunk, {.channel = 0, .sendTb = 0, .recvTb = 0});
    }
  for (int rank = 0; rank < 2; ++rank)
    p.chunk(rank, Input, rank * 3, 3).copy(rank, Output, rank * 3);
}

CCLC_PROGRAM(exchange_three) {
  d.collective(AllToAll).buffers(Buffers::OutOfPlace, Buffers::OutOfPlace).ranks(2, 2).body(exchange);
}
