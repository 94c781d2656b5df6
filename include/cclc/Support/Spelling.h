//===- Spelling.h - Suggestions for misspelt words --------------*- C++ -*-===//

#ifndef CCL_SUPPORT_SPELLING_H
#define CCL_SUPPORT_SPELLING_H

#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc {

/// " (did you mean 'x'?)" for the candidate nearest to \p word, or "" if none is near.
std::string didYouMean(StringRef word, ArrayRef<std::string> candidates);

/// "unknown colour 'rde' (did you mean 'red'?); it must be one of red, green".
std::string unknownWord(StringRef kind, StringRef word, ArrayRef<std::string> known);

} // namespace cclc

#endif // CCL_SUPPORT_SPELLING_H
