//===- Compiler.h - Requirements on the compiler ----------------*- C++ -*-===//

#ifndef CCL_DSL_COMPILER_H
#define CCL_DSL_COMPILER_H

#include <version>

// Source lines of a program are recorded by std::source_location.
#ifndef __cpp_lib_source_location
#error "cclc needs std::source_location: g++ 11, clang 16 or newer"
#endif

#endif // CCL_DSL_COMPILER_H
