//===- Hash.h - Combining hashes --------------------------------*- C++ -*-===//

#ifndef CCL_LIB_DIFF_HASH_H
#define CCL_LIB_DIFF_HASH_H

#include <cstdint>

namespace cclc::diff {

/// Appends \p value to \p hash with the finaliser of splitmix64. The result depends on the order of
/// the values, spreads small numbers, and is equal in every build and process.
constexpr uint64_t mixed(uint64_t hash, uint64_t value) {
  uint64_t x = (hash ^ value) + 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return (x ^ x >> 31) + hash * 0xff51afd7ed558ccdu;
}

} // namespace cclc::diff

#endif // CCL_LIB_DIFF_HASH_H
