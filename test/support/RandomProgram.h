//===- RandomProgram.h - Random chunk programs ------------------*- C++ -*-===//
//
// Chunk programs with copies and reduces of random ranges, over every kind of
// memory of programs. The same seed gives the same program on all platforms.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TEST_SUPPORT_RANDOMPROGRAM_H
#define CCL_TEST_SUPPORT_RANDOMPROGRAM_H

#include "cclc/IR/ChunkProgram.h"

#include <cstdint>
#include <cstdlib>

namespace cclc::test {

/// A small generator with a defined sequence (SplitMix64).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, n).
  uint32_t below(uint32_t n) { return next() % n; }
  /// Uniform in [low, high].
  uint32_t between(uint32_t low, uint32_t high) { return low + below(high - low + 1); }
  bool chance(uint32_t percent) { return below(100) < percent; }

private:
  uint64_t state;
};

/// The number of cases to test instead of \p n: multiplied by CCLC_PROPERTY_SCALE if it is set.
inline uint32_t scaled(uint32_t n) {
  const char *factor = std::getenv("CCLC_PROPERTY_SCALE");
  return factor ? n * std::atoi(factor) : n;
}

/// The operations of a program, from the simplest class to the most general.
enum class ProgramClass : uint8_t {
  SamePlace, ///< single chunks that keep their index in one buffer
  Copies,    ///< copies of single chunks, between any cells
  Sized,     ///< copies and reduces of one or two chunks, between any cells
  Anywhere,  ///< copies and reduces of single chunks, between any cells
  Sums,      ///< copies of single chunks into scratch, and local reductions of several of these
  Any,       ///< copies and reduces of one to three chunks, some keep their index
};

struct RandomProgramOptions {
  ProgramClass programClass = ProgramClass::Any;
  uint32_t maxRanks = 6;
  uint32_t maxOps = 40;
  /// Give some operations valid priorities, channels and threadblocks.
  bool directives = false;
  /// Mark some copies and reductions as operations of switches.
  bool switches = false;
  /// Assign the operations to phases of up to three calls, with generations.
  bool calls = false;
};

ChunkProgram randomProgram(uint64_t seed, const RandomProgramOptions &options = {});

} // namespace cclc::test

#endif // CCL_TEST_SUPPORT_RANDOMPROGRAM_H
