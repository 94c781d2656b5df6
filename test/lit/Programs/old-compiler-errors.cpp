// A compiler without std::source_location.
// REQUIRES: clang-14
// RUN: env CXX=clang++-14 not cclc %s -o %t.json 2>&1 | FileCheck %s --match-full-lines --implicit-check-not={{.+}}
#include "cclc/DSL/DSL.h"

// CHECK: {{.*}}old-compiler-errors.cpp: error: 'clang++-14' is too old for the DSL: use g++ 11, clang 16 or a newer one, which CXX names
