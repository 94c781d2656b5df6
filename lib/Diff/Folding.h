//===- Folding.h - Folding equal differences --------------------*- C++ -*-===//

#ifndef CCL_LIB_DIFF_FOLDING_H
#define CCL_LIB_DIFF_FOLDING_H

#include "cclc/Diff/Differences.h"

namespace cclc::diff {

/// Differences on several ranks, or of several chunks and steps, whose texts are equal except for
/// numbers.
struct Fold {
  Difference first;
  uint64_t count = 1;
  bool same = true;            ///< whether all are equal except for the rank
  std::vector<uint32_t> ranks; ///< ascending, without duplicates; may be empty

  /// "tb1 step 3 (rrc) dst: o[3] -> o[4]", without the rank.
  static std::string textOf(const Difference &difference);
  /// "; the same on ranks 1-7", "; 12 more like this on ranks 0-7", or "".
  std::string tail() const;
};

/// In the order of first occurrence.
std::vector<Fold> foldDifferences(const PlanDiff &diff, bool strict);

} // namespace cclc::diff

#endif // CCL_LIB_DIFF_FOLDING_H
