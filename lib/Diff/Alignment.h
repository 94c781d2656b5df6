//===- Alignment.h - Which step is which ------------------------*- C++ -*-===//
//
// Two sequences of steps, by their keys. Equal keys are told apart by counting them, so that every
// key stands once in either sequence, and their longest common subsequence is the longest
// ascending one of their places: O(n log n).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_DIFF_ALIGNMENT_H
#define CCL_LIB_DIFF_ALIGNMENT_H

#include "cclc/Support/LLVM.h"

#include <optional>
#include <vector>

namespace cclc::diff {

/// By place in the old sequence.
struct Alignment {
  std::vector<std::optional<uint32_t>> newOf;
  /// Whether the pair keeps its place: it is in the common subsequence.
  std::vector<bool> inOrder;
};

Alignment align(ArrayRef<uint64_t> before, ArrayRef<uint64_t> after);

} // namespace cclc::diff

#endif // CCL_LIB_DIFF_ALIGNMENT_H
