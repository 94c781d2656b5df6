// A program of the user: parameters, scratch, phases, directives, source lines in the plan, and the
// cache, which detects that an included file has changed.
// RUN: rm -rf %t && mkdir %t && cp %s %t/mine.cpp && echo '#define CHUNKS 2' > %t/chunks.h
// RUN: cd %t && cclc mine.cpp --ranks 3 --emit=text --print-locs | FileCheck %s
// RUN: cd %t && cclc describe mine.cpp | FileCheck %s --check-prefix=DESCRIBE
// RUN: cd %t && cclc mine.cpp --ranks 3 -p twice=yes --stats | FileCheck %s --check-prefix=TWICE
// RUN: cd %t && echo '#define CHUNKS 5' > chunks.h && cclc mine.cpp --ranks 3 --stats | FileCheck %s --check-prefix=CHANGED
// RUN: cd %t && g++ -std=c++20 -fPIC -shared -I%include mine.cpp -o mine.so
// RUN: cd %t && cclc ./mine.so --ranks 3 --stats | FileCheck %s --check-prefix=CHANGED
#include "chunks.h"
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static constexpr BoolParam twice{.name = "twice", .help = "use two channels", .value = false};

static void gather(Program &p) {
  p.chunks(CHUNKS);
  Buffer staging = p.scratch("staging");
  p.phase("to all");
  for (int from = 0; from < p.ranks(); ++from) {
    ChunkRef mine = p.chunk(from, Input, 0, CHUNKS);
    mine.copy(from, Output, from * CHUNKS);
    for (int to = 0; to < p.ranks(); ++to) {
      if (to == from)
        continue;
      Via via;
      if (p.get(twice))
        via.channel = (from + to) % 2;
      ChunkRef staged = mine.copy(to, staging, from * CHUNKS, via);
      staged.copy(to, Output, from * CHUNKS);
    }
  }
}

CCLC_PROGRAM(gather_to_all) {
  d.collective(AllGather)
      .summary("Every rank sends its chunks to all ranks.")
      .buffers(Buffers::Both, Buffers::OutOfPlace)
      .param(twice)
      .body(gather);
}

// CHECK: exec.program @gather_to_all coll allgather ranks 3 chunks 2 outofplace slots 8 {
// CHECK:   param "twice" = "no"
// CHECK:   phase 1 "to all"
// CHECK: s i[0:2] phase 1 loc("mine.cpp":30)
// CHECK: r -> o[2:4] phase 1 loc("mine.cpp":31)
// DESCRIBE: gather_to_all: allgather
// DESCRIBE: Every rank sends its chunks to all ranks.
// DESCRIBE: twice = no    yes or no
// DESCRIBE: buffers = out_of_place    in_place, out_of_place or both
// TWICE: channels                       2
// CHANGED: gather_to_all: allgather over 3 ranks
// CHANGED: channels                       1
