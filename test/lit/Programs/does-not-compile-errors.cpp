// The compiler's own messages come first; nothing is written.
// RUN: not cclc %s -o %t.json 2>&1 | FileCheck %s
// RUN: not ls %t.json
#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

static void body(Program &p) { p.chunk(0, Inptu, 0); }

CCLC_PROGRAM(typo) { d.collective(AllReduce).body(body); }

// CHECK: does-not-compile-errors.cpp:[[@LINE-4]]:
// CHECK: does-not-compile-errors.cpp:[[@LINE-5]]:{{[0-9]+}}: error: does not compile with c++: {{.*}}Inptu
