//===- MixBits.h - Spreading the bits of a number ---------------*- C++ -*-===//

#ifndef CCL_SUPPORT_MIXBITS_H
#define CCL_SUPPORT_MIXBITS_H

#include <cstdint>

namespace cclc {

/// What SplitMix64 adds from one number to the next: 2^64 over the golden ratio.
constexpr uint64_t goldenBits = 0x9e3779b97f4a7c15u;

/// The finaliser of SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number
/// generators, OOPSLA 2014): every bit of \p x changes every bit of the result, which is equal in
/// every build and process. 0 remains 0.
constexpr uint64_t mixBits(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

} // namespace cclc

#endif // CCL_SUPPORT_MIXBITS_H
