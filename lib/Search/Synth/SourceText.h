//===- SourceText.h - Texts of C++ sources ----------------------*- C++ -*-===//
//
// What the writers of programs share.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SEARCH_SYNTH_SOURCETEXT_H
#define CCL_LIB_SEARCH_SYNTH_SOURCETEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace cclc::synth {

/// Writes \p text as a literal of C++ on lines of its own.
inline void writeLiteral(llvm::StringRef text, llvm::raw_ostream &os) {
  constexpr size_t widest = 80;
  while (!text.empty()) {
    size_t length = text.size();
    if (length > widest)
      length = std::max(text.rfind(' ', widest), size_t(0)) + 1;
    os << "\n          \"" << text.take_front(length) << '"';
    text = text.drop_front(length);
  }
}

} // namespace cclc::synth

#endif // CCL_LIB_SEARCH_SYNTH_SOURCETEXT_H
