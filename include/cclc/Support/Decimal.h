//===- Decimal.h - Decimal notation of quantities ---------------*- C++ -*-===//
//
// Times are integer picoseconds and rates integer bytes per second. Reports show them in
// nanoseconds and gigabytes per second, without rounding.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_DECIMAL_H
#define CCL_SUPPORT_DECIMAL_H

#include "cclc/Support/Units.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace cclc {

/// A number of thousandths: "1678.040".
inline std::string thousandths(int64_t n) {
  uint64_t size = n < 0 ? -uint64_t(n) : n;
  std::string digits = std::to_string(size % 1000);
  return (n < 0 ? "-" : "") + std::to_string(size / 1000) + "." +
         std::string(3 - digits.size(), '0') + digits;
}

/// A decimal without zeros at the end: "1678.04", "12".
inline std::string trimmed(llvm::StringRef decimal) { return decimal.rtrim('0').rtrim('.').str(); }

inline std::string nanosecondsText(SimTime time) { return thousandths(time.picoseconds()); }
inline std::string gigabytesText(uint64_t bytesPerSecond) {
  return thousandths(bytesPerSecond / 1'000'000);
}

/// "62.90": in microseconds, rounded down so that a lower bound remains one.
inline std::string microsecondsText(SimTime time) {
  int64_t hundredths = time.picoseconds() / 10'000;
  std::string digits = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + std::string(2 - digits.size(), '0') + digits;
}

/// For JSON: an exact decimal up to 2^53 picoseconds.
inline double toNanoseconds(SimTime time) { return double(time.picoseconds()) / 1000; }

} // namespace cclc

#endif // CCL_SUPPORT_DECIMAL_H
