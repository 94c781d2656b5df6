//===- Lines.h - Text of several lines in a test ----------------*- C++ -*-===//
//
//   CHECK(printed(program) == R"(
//     %0 = s r0 i[0] to %1
//     %1 = r r1 -> i[0] from %0
//     )"_lines);
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TEST_SUPPORT_LINES_H
#define CCL_TEST_SUPPORT_LINES_H

#include <cassert>
#include <string>
#include <string_view>

namespace cclc::test {

/// The lines between the first and the last of a raw string, each without the indentation of the
/// last, which is that of the closing parenthesis. Each ends with a newline.
inline std::string operator""_lines(const char *raw, size_t size) {
  std::string_view rest(raw, size);
  assert(rest.front() == '\n' && "the first line is empty");
  rest.remove_prefix(1);
  std::string_view margin = rest.substr(rest.rfind('\n') + 1);
  rest.remove_suffix(margin.size());
  std::string text;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n') + 1);
    rest.remove_prefix(line.size());
    assert((line == "\n" || line.starts_with(margin)) && "a line begins left of the margin");
    text += line == "\n" ? line : line.substr(margin.size());
  }
  return text;
}

} // namespace cclc::test

#endif // CCL_TEST_SUPPORT_LINES_H
