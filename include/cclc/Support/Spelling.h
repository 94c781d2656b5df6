//===- Spelling.h - Suggestions for misspelt words --------------*- C++ -*-===//

#ifndef CCL_SUPPORT_SPELLING_H
#define CCL_SUPPORT_SPELLING_H

#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc {

/// " (did you mean 'x'?)" for the candidate nearest to \p word, or "" if none is near.
std::string didYouMean(StringRef word, ArrayRef<std::string> candidates);

} // namespace cclc

#endif // CCL_SUPPORT_SPELLING_H
