//===- Units.h - Bytes, picoseconds, bytes per second -----------*- C++ -*-===//
//
// The three quantities of the machine model. All are integers: a simulated
// time must not depend on the compiler, the optimisation level or the order
// in which doubles are added.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_UNITS_H
#define CCL_SUPPORT_UNITS_H

#include <algorithm>
#include <cassert>
#include <compare>
#include <cstdint>

namespace cclc {

/// For products that may not fit into 64 bits.
__extension__ typedef __int128 Wide;

/// A number of bytes.
class Bytes {
public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(uint64_t n) : n(n) {}
  constexpr uint64_t count() const { return n; }
  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes(a.n + b.n); }
  friend constexpr Bytes operator*(Bytes a, uint64_t k) { return Bytes(a.n * k); }
  constexpr Bytes &operator+=(Bytes b) { return n += b.n, *this; }

private:
  uint64_t n = 0;
};

/// A point in simulated time or a duration, in integer picoseconds. Sums and
/// products stop at max(), 53 days, instead of wrapping around.
class SimTime {
public:
  constexpr SimTime() = default;
  static constexpr SimTime max() { return SimTime((int64_t(1) << 62) - 1); }
  /// \p picoseconds, or max().
  static constexpr SimTime clamped(Wide picoseconds) {
    return picoseconds < max().ps ? SimTime(int64_t(picoseconds)) : max();
  }
  constexpr explicit SimTime(int64_t picoseconds) : ps(picoseconds) {}
  static constexpr SimTime nanoseconds(int64_t ns) { return SimTime(ns * 1000); }
  constexpr int64_t picoseconds() const { return ps; }
  friend constexpr auto operator<=>(SimTime, SimTime) = default;
  friend constexpr SimTime operator+(SimTime a, SimTime b) {
    return std::min(SimTime(a.ps + b.ps), max());
  }
  friend constexpr SimTime operator-(SimTime a, SimTime b) { return SimTime(a.ps - b.ps); }
  friend constexpr SimTime operator*(SimTime a, int64_t k) { return clamped(Wide(a.ps) * k); }
  constexpr SimTime &operator+=(SimTime b) { return *this = *this + b; }
  constexpr SimTime &operator-=(SimTime b) { return ps -= b.ps, *this; }

private:
  int64_t ps = 0;
};

/// A rate in bytes per second. Zero means "not limited" where a target says so
/// explicitly; transferTime of an unlimited rate is zero.
class Bandwidth {
public:
  constexpr Bandwidth() = default;
  constexpr explicit Bandwidth(uint64_t bytesPerSecond) : rate(bytesPerSecond) {}
  constexpr uint64_t bytesPerSecond() const { return rate; }
  constexpr bool isUnlimited() const { return rate == 0; }
  friend constexpr bool operator==(Bandwidth, Bandwidth) = default;
  /// The slower of two rates.
  static constexpr Bandwidth slower(Bandwidth a, Bandwidth b) {
    if (a.isUnlimited() || (!b.isUnlimited() && b.rate < a.rate))
      return b;
    return a;
  }

private:
  uint64_t rate = 0;
};

/// ceil(a / b) for b > 0.
constexpr uint64_t ceilDiv(uint64_t a, uint64_t b) {
  assert(b > 0);
  return a / b + (a % b != 0);
}

/// Time that \p size takes at \p rate, rounded up to a whole picosecond (rule 1). Closed
/// forms in tests use this same rounding, once per transfer.
constexpr SimTime transferTime(Bytes size, Bandwidth rate) {
  if (rate.isUnlimited())
    return SimTime();
  constexpr uint64_t picoseconds = 1'000'000'000'000;
  // A 128-bit division takes several times as long as a 64-bit one.
  if (size.count() <= ~uint64_t(0) / picoseconds)
    return SimTime::clamped(ceilDiv(size.count() * picoseconds, rate.bytesPerSecond()));
  Wide picosecondBytes = Wide(size.count()) * picoseconds;
  return SimTime::clamped((picosecondBytes + rate.bytesPerSecond() - 1) / rate.bytesPerSecond());
}

/// The rate in bytes per second of \p size in \p time, rounded down; 0 if \p time is zero.
constexpr uint64_t averageRate(Bytes size, SimTime time) {
  if (time <= SimTime())
    return 0;
  return uint64_t(Wide(size.count()) * 1'000'000'000'000 / time.picoseconds());
}

} // namespace cclc

#endif // CCL_SUPPORT_UNITS_H
