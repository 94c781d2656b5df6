//===- Alignment.h - Aligning two sequences of steps ------------*- C++ -*-===//
//
// Aligns two sequences of steps by their keys. Equal keys are distinguished by their ordinal, so
// that every key is unique in its sequence, and the longest common subsequence is the longest
// ascending subsequence of positions, which takes O(n log n).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_DIFF_ALIGNMENT_H
#define CCL_LIB_DIFF_ALIGNMENT_H

#include "cclc/Support/LLVM.h"

#include <optional>
#include <vector>

namespace cclc::diff {

/// By position in the old sequence.
struct Alignment {
  std::vector<std::optional<uint32_t>> newOf;
  /// Whether the pair is in the common subsequence.
  std::vector<bool> inOrder;
};

Alignment align(ArrayRef<uint64_t> before, ArrayRef<uint64_t> after);

} // namespace cclc::diff

#endif // CCL_LIB_DIFF_ALIGNMENT_H
