//===- Gate.cpp - Limits on regressions -----------------------------------===//
//
// Parses KEY:LIMIT and compares figures and times with it. Limits are integers, millionths of the
// old value or units of the figure (picoseconds for times), and comparisons are exact: a gate at
// exactly its limit holds.
//
//===----------------------------------------------------------------------===//

#include "cclc/Diff/Gate.h"

#include "cclc/Support/Decimal.h"
#include "cclc/Support/Spelling.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::diff;
using llvm::formatv;

std::vector<std::string> diff::gateKeys() {
  std::vector<std::string> keys = {"time"};
  for (unsigned f = 0; f < numFigures; ++f)
    keys.push_back(figureName(static_cast<Figure>(f)).str());
  return keys;
}

/// A decimal number times \p scale; none if the result is not an integer or is too large.
static std::optional<int64_t> scaled(StringRef number, int64_t scale) {
  bool negative = number.consume_front("-");
  if (!negative)
    number.consume_front("+");
  auto [whole, fraction] = number.split('.');
  uint64_t units = 0, value = 0;
  if (whole.empty() || !llvm::all_of(whole, llvm::isDigit) || whole.getAsInteger(10, units) ||
      (number.contains('.') && (fraction.empty() || !llvm::all_of(fraction, llvm::isDigit))))
    return std::nullopt;
  constexpr int64_t most = int64_t(1) << 50;
  if (Wide(units) * scale > most)
    return std::nullopt;
  value = units * scale;
  for (char digit : fraction) {
    if (scale % 10 != 0)
      return std::nullopt;
    scale /= 10;
    value += (digit - '0') * scale;
  }
  return negative ? -int64_t(value) : int64_t(value);
}

FailureOr<RegressionGate> diff::parseGate(StringRef text, DiagnosticEngine &diags) {
  auto [key, limit] = text.split(':');
  std::vector<std::string> keys = gateKeys();
  if (!text.contains(':'))
    return diags.error({},
                       "--gate takes KEY:LIMIT, such as time:+2% or steps:0, not '" + text + "'");
  auto it = std::find(keys.begin(), keys.end(), key);
  if (it == keys.end())
    return diags.error({}, "--gate: " + unknownWord("figure", key, keys));
  RegressionGate gate{text.str(), std::nullopt, false, 0};
  bool isTime = it == keys.begin();
  if (!isTime)
    gate.figure = static_cast<Figure>(it - keys.begin() - 1);
  std::optional<int64_t> value;
  StringRef number = limit;
  if (number.consume_back("%")) {
    gate.relative = true;
    value = scaled(number, 10'000);
  } else if (isTime) {
    size_t digits = number.find_last_of("0123456789.") + 1;
    int64_t unit = llvm::StringSwitch<int64_t>(number.drop_front(digits))
                       .Case("ps", 1)
                       .Case("ns", 1000)
                       .Case("us", 1'000'000)
                       .Case("ms", 1'000'000'000)
                       .Case("s", 1'000'000'000'000)
                       .Default(0);
    number = number.take_front(digits);
    if (unit == 0 && number == limit && scaled(number, 1) == 0)
      unit = 1;
    if (unit)
      value = scaled(number, unit);
  } else {
    value = scaled(number, 1);
  }
  if (!value)
    return diags.error({}, formatv("--gate {0}: '{1}' is not a limit; {2}", key, limit,
                                   isTime ? "it is a percentage such as +2%, or a time such as "
                                            "+100ns"
                                          : "it is a whole number such as +1, or a percentage "
                                            "such as 5%"));
  gate.limit = *value;
  return gate;
}

/// Whether \p after exceeds \p before by more than the limit.
static bool exceeds(const RegressionGate &gate, uint64_t before, uint64_t after) {
  if (gate.relative)
    return Wide(after) * 1'000'000 > Wide(before) * (1'000'000 + gate.limit);
  return Wide(after) > Wide(before) + gate.limit;
}

std::string GateResult::text() const {
  auto value = [&](std::optional<uint64_t> v) -> std::string {
    if (!v)
      return "no number suffices";
    return gate->figure ? std::to_string(*v) : nanosecondsText(SimTime(int64_t(*v))) + " ns";
  };
  std::string what = gate->figure ? figureMeaning(*gate->figure).str() : "time";
  std::string text = formatv("gate {0} {1}: {2}", gate->text, tripped ? "tripped" : "holds", what);
  if (bytes)
    text += formatv(" at {0} bytes", bytes->count()).str() + where;
  text += " " + value(before) + " -> " + value(after);
  if (!gate->figure && before && after && *before) {
    // Hundredths of a percent, half away from zero.
    Wide change = (Wide(*after) - Wide(*before)) * 20'000;
    Wide twice = change / Wide(*before);
    int64_t hundredths = int64_t(twice < 0 ? (twice - 1) / 2 : (twice + 1) / 2);
    uint64_t size = hundredths < 0 ? -hundredths : hundredths;
    text += formatv(" ({0}{1}.{2,0+2}%)", hundredths < 0 ? "-" : "+", size / 100, size % 100).str();
  }
  return text;
}

std::vector<GateResult> diff::applyGates(ArrayRef<RegressionGate> gates, const Figures &before,
                                         const Figures &after, ArrayRef<TimeDiff> times) {
  std::vector<GateResult> results;
  for (const RegressionGate &gate : gates) {
    if (gate.figure) {
      auto a = before[*gate.figure], b = after[*gate.figure];
      results.push_back({&gate, std::nullopt, a, b, !b || (a && exceeds(gate, *a, *b))});
      continue;
    }
    bool several = llvm::any_of(times, [&](const TimeDiff &time) {
      return time.target != times.front().target || time.type != times.front().type;
    });
    for (const TimeDiff &time : times) {
      std::string where;
      if (several)
        where = " of " + dataTypeName(time.type).str() + " on " + time.target;
      uint64_t a = time.before.picoseconds(), b = time.after.picoseconds();
      results.push_back({&gate, time.bytes, a, b, exceeds(gate, a, b), where});
    }
  }
  return results;
}
