//===- Spelling.h - What a misspelt word may mean ---------------*- C++ -*-===//

#ifndef CCL_SUPPORT_SPELLING_H
#define CCL_SUPPORT_SPELLING_H

#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc {

/// " (did you mean 'x'?)" for the candidate that is nearest to \p word, if any is.
std::string didYouMean(StringRef word, ArrayRef<std::string> candidates);

} // namespace cclc

#endif // CCL_SUPPORT_SPELLING_H
