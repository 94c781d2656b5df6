// A program that throws an exception.
// RUN: not cclc %s --ranks 4 -o %t.json 2>&1 | FileCheck %s --match-full-lines --implicit-check-not={{.+}}
// RUN: not ls %t.json
#include "cclc/DSL/DSL.h"

#include <stdexcept>

using namespace cclc::dsl;

static void body(Program &) { throw std::runtime_error("my own trouble"); }

CCLC_PROGRAM(exception) { d.collective(AllReduce).body(body); }

// CHECK: {{.*}}misuse-exception-errors.cpp: error: program 'exception' ended with an exception before its first call of the DSL: my own trouble
