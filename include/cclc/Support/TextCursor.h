//===- TextCursor.h - Position of a parser in its input ---------*- C++ -*-===//
//
// JSON parsers do not pass the current position to their callbacks. They read through a TextCursor,
// which keeps a TextPosition up to date; the latter counts lines on demand.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_TEXTCURSOR_H
#define CCL_SUPPORT_TEXTCURSOR_H

#include "cclc/Support/LLVM.h"

#include <algorithm>
#include <iterator>

namespace cclc {

/// An iterator over text that records how far it has advanced.
struct TextCursor {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  const char *at;
  const char **seen;

  reference operator*() const { return *at; }
  TextCursor &operator++() {
    *seen = ++at;
    return *this;
  }
  TextCursor operator++(int) {
    TextCursor old = *this;
    ++*this;
    return old;
  }
  friend bool operator!=(const TextCursor &a, const TextCursor &b) { return a.at != b.at; }
};

/// Line and column of the last character that was read, counted from 1. The cost of a query is
/// linear in the text read since the previous query.
class TextPosition {
public:
  explicit TextPosition(StringRef text)
      : seen(text.begin()), lineStart(text.begin()), counted(text.begin()) {}

  const char *seen; ///< how far the parser has read

  unsigned line() {
    for (; counted < seen; ++counted)
      if (*counted == '\n') {
        ++lines;
        lineStart = counted + 1;
      }
    return lines;
  }
  unsigned column() {
    line();
    return std::max<std::ptrdiff_t>(seen - lineStart, 1);
  }

private:
  const char *lineStart, *counted;
  unsigned lines = 1;
};

} // namespace cclc

#endif // CCL_SUPPORT_TEXTCURSOR_H
