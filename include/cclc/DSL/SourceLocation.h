//===- SourceLocation.h - The place of a call of the DSL --------*- C++ -*-===//
//
// A program in C++ gets it from the compiler, by a default argument; a front end for another
// language fills it. Standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DSL_SOURCELOCATION_H
#define CCL_DSL_SOURCELOCATION_H

#include <cstdint>
#include <source_location>

namespace cclc::dsl {

struct SourceLocation {
  /// Lives as long as the trace.
  const char *file = "";
  /// From 1; 0 if it is unknown.
  uint32_t line = 0;

  constexpr SourceLocation() = default;
  constexpr SourceLocation(const char *file, uint32_t line) : file(file), line(line) {}
  /// For building blocks of users that pass on the place of their caller.
  constexpr SourceLocation(const std::source_location &at)
      : file(at.file_name()), line(at.line()) {}

  /// As a default argument: the line of the call.
  static constexpr SourceLocation current(const char *file = __builtin_FILE(),
                                          uint32_t line = __builtin_LINE()) {
    return {file, line};
  }
};

} // namespace cclc::dsl

#endif // CCL_DSL_SOURCELOCATION_H
