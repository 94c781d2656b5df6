//===- Printable.h - Names from files in text -------------------*- C++ -*-===//
//
// Names of programs, phases, nodes and files come from files of others. In text
// they must not begin a line, such as "::error" for GitHub Actions, nor reach the
// terminal as an escape sequence.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_PRINTABLE_H
#define CCL_SUPPORT_PRINTABLE_H

#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc {

/// \p text with its control characters as "\n", "\t", "\r" or "\x1b", those of Unicode
/// (U+0080 to U+009f) included.
std::string printable(StringRef text);

} // namespace cclc

#endif // CCL_SUPPORT_PRINTABLE_H
