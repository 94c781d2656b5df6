//===- Units.h - Bytes, picoseconds, bytes per second -----------*- C++ -*-===//
//
// The three quantities of the machine model. All are integers: a simulated
// time must not depend on the compiler, the optimisation level or the order
// in which doubles are added.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_UNITS_H
#define CCL_SUPPORT_UNITS_H

#include <cassert>
#include <compare>
#include <cstdint>

namespace cclc {

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

/// A point in simulated time or a duration, in integer picoseconds. 2^63 ps
/// are 106 days.
class SimTime {
public:
  constexpr SimTime() = default;
  constexpr explicit SimTime(int64_t picoseconds) : ps(picoseconds) {}
  static constexpr SimTime nanoseconds(int64_t ns) { return SimTime(ns * 1000); }
  constexpr int64_t picoseconds() const { return ps; }
  friend constexpr auto operator<=>(SimTime, SimTime) = default;
  friend constexpr SimTime operator+(SimTime a, SimTime b) { return SimTime(a.ps + b.ps); }
  friend constexpr SimTime operator-(SimTime a, SimTime b) { return SimTime(a.ps - b.ps); }
  friend constexpr SimTime operator*(SimTime a, int64_t k) { return SimTime(a.ps * k); }
  constexpr SimTime &operator+=(SimTime b) { return ps += b.ps, *this; }
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

/// Time that \p size takes at \p rate, rounded up to a whole picosecond. Closed
/// forms in tests use this same rounding, once per transfer.
constexpr SimTime transferTime(Bytes size, Bandwidth rate) {
  if (rate.isUnlimited())
    return SimTime();
  __extension__ typedef unsigned __int128 Wide;
  Wide picosecondBytes = Wide(size.count()) * 1'000'000'000'000u;
  Wide ps = (picosecondBytes + rate.bytesPerSecond() - 1) / rate.bytesPerSecond();
  return SimTime(static_cast<int64_t>(ps));
}

} // namespace cclc

#endif // CCL_SUPPORT_UNITS_H
