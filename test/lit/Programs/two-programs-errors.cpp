// Two programs in a file.
// RUN: not cclc %s -o %t.json 2>&1 | FileCheck %s --match-full-lines --implicit-check-not={{.+}}
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void body(Program &) {}

CCLC_PROGRAM(first) { d.collective(AllReduce).body(body); }

CCLC_PROGRAM(second) { d.collective(AllReduce).body(body); }

// CHECK: {{.*}}two-programs-errors.cpp:11: error: a second CCLC_PROGRAM: a file declares one program; move the other one to a separate file
