//===- Pick.h - Random choices ----------------------------------*- C++ -*-===//

#ifndef CCL_TEST_SUPPORT_PICK_H
#define CCL_TEST_SUPPORT_PICK_H

#include <cstdint>
#include <random>

namespace cclc::test {

using Generator = std::mt19937_64;

/// A number below \p size, which is at least 1.
inline uint32_t pick(Generator &random, size_t size) {
  return std::uniform_int_distribution<size_t>(0, size - 1)(random);
}

} // namespace cclc::test

#endif // CCL_TEST_SUPPORT_PICK_H
