#include "../../support/RandomProgram.h"

#include "cclc/Support/Units.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace cclc;
using test::Random;

namespace {
/// \p a * \p b in base 2^32 digits, least significant first: without wide types and divisions, and
/// therefore independent of transferTime.
struct Product {
  uint64_t digit[4] = {};
  friend bool operator<(const Product &a, const Product &b) {
    for (int i = 3; i >= 0; --i)
      if (a.digit[i] != b.digit[i])
        return a.digit[i] < b.digit[i];
    return false;
  }
};
Product multiply(uint64_t a, uint64_t b) {
  uint64_t a0 = uint32_t(a), a1 = a >> 32, b0 = uint32_t(b), b1 = b >> 32;
  Product w;
  uint64_t low = a0 * b0, mid = a1 * b0 + (low >> 32), mid2 = a0 * b1 + uint32_t(mid);
  uint64_t high = a1 * b1 + (mid >> 32) + (mid2 >> 32);
  w.digit[0] = uint32_t(low);
  w.digit[1] = uint32_t(mid2);
  w.digit[2] = uint32_t(high);
  w.digit[3] = high >> 32;
  return w;
}
constexpr uint64_t picoseconds = 1'000'000'000'000;

/// The definition: the smallest t with t * rate >= bytes * 10^12.
bool isTransferTime(uint64_t t, uint64_t bytes, uint64_t rate) {
  Product needed = multiply(bytes, picoseconds);
  return !(multiply(t, rate) < needed) && (t == 0 || multiply(t - 1, rate) < needed);
}

/// Numbers of all magnitudes.
uint64_t anyMagnitude(Random &random, unsigned bits) {
  return random.next() >> (64 - random.between(1, bits));
}
} // namespace

TEST_CASE("the wide product of the oracle is correct") {
  Product w = multiply(~uint64_t(0), ~uint64_t(0)); // 2^128 - 2^65 + 1
  CHECK(w.digit[0] == 1);
  CHECK(w.digit[1] == 0);
  CHECK(w.digit[2] == 0xfffffffe);
  CHECK(w.digit[3] == 0xffffffff);
}

TEST_CASE("transferTime rounds up to the next picosecond", "[rule-1]") {
  CHECK(transferTime(Bytes(1), Bandwidth(picoseconds)).picoseconds() == 1);
  CHECK(transferTime(Bytes(1), Bandwidth(picoseconds + 1)).picoseconds() == 1);
  CHECK(transferTime(Bytes(1), Bandwidth(2 * picoseconds)).picoseconds() == 1);
  CHECK(transferTime(Bytes(2), Bandwidth(2 * picoseconds)).picoseconds() == 1);
  CHECK(transferTime(Bytes(3), Bandwidth(2 * picoseconds)).picoseconds() == 2);
  CHECK(transferTime(Bytes(0), Bandwidth(1)).picoseconds() == 0);
  CHECK(transferTime(Bytes(1 << 20), Bandwidth()).picoseconds() == 0); // not limited
}

TEST_CASE("transferTime is the least sufficient time for any size and rate", "[property]") {
  Random random(1);
  uint32_t checked = 0;
  for (uint32_t i = 0; i < test::scaled(200000); ++i) {
    uint64_t bytes = anyMagnitude(random, 63), rate = anyMagnitude(random, 63);
    // Results beyond the range of the clock are tested below.
    Product longest = multiply(SimTime::max().picoseconds() - 1, rate);
    if (rate == 0 || longest < multiply(bytes, picoseconds))
      continue;
    ++checked;
    SimTime t = transferTime(Bytes(bytes), Bandwidth(rate));
    if (t.picoseconds() < 0 || !isTransferTime(t.picoseconds(), bytes, rate))
      FAIL(bytes << " bytes at " << rate << " bytes/s: " << t.picoseconds() << " ps");
  }
  CHECK(checked > 100000);
}

TEST_CASE("ceilDiv does not overflow near the end of the range") {
  constexpr uint64_t max = ~uint64_t(0);
  CHECK(ceilDiv(max, 1) == max);
  CHECK(ceilDiv(max, max) == 1);
  CHECK(ceilDiv(max, 2) == uint64_t(1) << 63);
  CHECK(ceilDiv(max - 1, max) == 1);
  CHECK(ceilDiv(0, 7) == 0);
  for (uint64_t a = 0; a < 50; ++a)
    for (uint64_t b = 1; b < 50; ++b) {
      uint64_t q = 0;
      while (q * b < a)
        ++q;
      REQUIRE(ceilDiv(a, b) == q);
    }
}

TEST_CASE("the slower of two rates, where unlimited is the fastest") {
  Bandwidth unlimited, slow(10), fast(20);
  CHECK(Bandwidth::slower(slow, fast) == slow);
  CHECK(Bandwidth::slower(fast, slow) == slow);
  CHECK(Bandwidth::slower(unlimited, fast) == fast);
  CHECK(Bandwidth::slower(fast, unlimited) == fast);
  CHECK(Bandwidth::slower(unlimited, unlimited) == unlimited);
}

TEST_CASE("times and sizes add, subtract and scale") {
  CHECK(SimTime::nanoseconds(3) == SimTime(3000));
  CHECK(SimTime(5) - SimTime(7) == SimTime(-2));
  CHECK(SimTime(5) * 3 + SimTime(1) == SimTime(16));
  SimTime t(10);
  t += SimTime(5);
  t -= SimTime(1);
  CHECK(t == SimTime(14));
  CHECK(SimTime(1) < SimTime(2));
  Bytes b(uint64_t(1) << 40);
  b += Bytes(1);
  CHECK((b * 2).count() == (uint64_t(1) << 41) + 2);
  CHECK(Bytes(2) + Bytes(3) == Bytes(5));
}

TEST_CASE("times saturate at their maximum instead of overflowing") {
  CHECK(SimTime::max() + SimTime::max() == SimTime::max());
  CHECK(SimTime::max() + SimTime(1) == SimTime::max());
  CHECK(SimTime(int64_t(1) << 40) * (int64_t(1) << 30) == SimTime::max());
  CHECK(SimTime(1000) * 1000 == SimTime(1000000));
  CHECK(transferTime(Bytes(~uint64_t(0)), Bandwidth(1)) == SimTime::max());
  // 2^62 - 2 is the last exact value.
  CHECK(SimTime::clamped(SimTime::max().picoseconds() - 1) ==
        SimTime(SimTime::max().picoseconds() - 1));
}
