//===- DotText.h - Names in the DOT language --------------------*- C++ -*-===//
//
// Names in pictures come from input files and may have any characters. Invalid UTF-8 and unprintable
// characters are replaced, except for line ends.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_DOTTEXT_H
#define CCL_SUPPORT_DOTTEXT_H

#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc {

/// \p text for the inside of a quoted string.
std::string dotQuoted(StringRef text);
/// \p text for an HTML-like label.
std::string dotHtml(StringRef text);

} // namespace cclc

#endif // CCL_SUPPORT_DOTTEXT_H
