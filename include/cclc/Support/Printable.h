//===- Printable.h - Escaping names from input files ------------*- C++ -*-===//
//
// Names of programs, phases, nodes and files come from untrusted input. Printed, they must neither
// begin a new line, such as "::error" for GitHub Actions, nor send escape sequences to the
// terminal.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_PRINTABLE_H
#define CCL_SUPPORT_PRINTABLE_H

#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc {

/// \p text with its control characters, those of Unicode (U+0080 to U+009f) included, written as "
/// ", "\t", "\r" or "\x1b".
std::string printable(StringRef text);

} // namespace cclc

#endif // CCL_SUPPORT_PRINTABLE_H
