//===- Hash.h - Combining hashes --------------------------------*- C++ -*-===//

#ifndef CCL_LIB_DIFF_HASH_H
#define CCL_LIB_DIFF_HASH_H

#include "cclc/Support/MixBits.h"

namespace cclc::diff {

/// Appends \p value to \p hash with the finaliser of splitmix64. The result depends on the order of
/// the values, spreads small numbers, and is equal in every build and process.
constexpr uint64_t mixed(uint64_t hash, uint64_t value) {
  return mixBits((hash ^ value) + goldenBits) + hash * 0xff51afd7ed558ccdu;
}

} // namespace cclc::diff

#endif // CCL_LIB_DIFF_HASH_H
