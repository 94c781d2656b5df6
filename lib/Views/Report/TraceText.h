//===- TraceText.h - Fast formatting of traces ------------------*- C++ -*-===//
//
// A trace has about ten events for every step of a plan, and formatting them with raw_ostream takes
// ten times as long as the simulation itself. This class formats events in one buffer.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_VIEWS_REPORT_TRACETEXT_H
#define CCL_LIB_VIEWS_REPORT_TRACETEXT_H

#include "cclc/Support/LLVM.h"
#include "cclc/Support/Units.h"

#include "llvm/Support/raw_ostream.h"

#include <array>
#include <charconv>
#include <cstring>
#include <vector>

namespace cclc {

class TraceText {
public:
  explicit TraceText(raw_ostream &os) : os(os), buffer(size) {}

  /// Reserves space for one event. Within it, at most \c mostText bytes may be put(), in addition
  /// to numbers and literals.
  void begin() {
    if (buffer.data() + size - at < ptrdiff_t(roomOfEvent))
      flush();
  }
  void flush() {
    os.write(buffer.data(), at - buffer.data());
    at = buffer.data();
  }

  TraceText &operator<<(StringRef text) {
    if (text.size() > mostText)
      return putLong(text);
    std::memcpy(at, text.data(), text.size());
    at += text.size();
    return *this;
  }
  template <size_t N> TraceText &operator<<(const char (&text)[N]) {
    std::memcpy(at, text, N - 1);
    at += N - 1;
    return *this;
  }
  TraceText &operator<<(uint64_t number) {
    at = std::to_chars(at, at + 20, number).ptr;
    return *this;
  }
  TraceText &operator<<(uint32_t number) { return *this << uint64_t(number); }
  /// Appends a time in microseconds, exactly.
  TraceText &operator<<(SimTime time) {
    constexpr uint64_t picosecondsInMicrosecond = 1'000'000;
    uint64_t picoseconds = time.picoseconds();
    *this << picoseconds / picosecondsInMicrosecond;
    fraction<6>(picoseconds % picosecondsInMicrosecond);
    return *this;
  }
  /// Appends a decimal point and \c Digits digits, which must be an even number.
  template <unsigned Digits> void fraction(uint32_t value) {
    static_assert(Digits % 2 == 0);
    *at = '.';
    for (unsigned digit = Digits; digit > 0; digit -= 2, value /= 100)
      std::memcpy(at + digit - 1, pairs.data() + size_t(2) * (value % 100), 2);
    at += Digits + 1;
  }

private:
  static constexpr size_t size = 1 << 18, roomOfEvent = 1 << 14, mostText = 1 << 10;

  /// Appends a user-defined name.
  TraceText &putLong(StringRef text) {
    flush();
    os << text;
    return *this;
  }

  /// "00", "01" to "99": formatting two digits takes one division.
  static constexpr std::array<char, 200> pairs = [] {
    std::array<char, 200> digits{};
    for (size_t i = 0; i < 100; ++i) {
      digits[2 * i] = char('0' + i / 10);
      digits[2 * i + 1] = char('0' + i % 10);
    }
    return digits;
  }();

  raw_ostream &os;
  std::vector<char> buffer;
  char *at = buffer.data();
};

} // namespace cclc

#endif // CCL_LIB_VIEWS_REPORT_TRACETEXT_H
