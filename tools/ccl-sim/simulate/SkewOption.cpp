//===- SkewOption.cpp - Values of --skew ----------------------------------===//
//
// Random starts come from std::mt19937_64, whose numbers are specified by the standard, scaled with
// integers, because distributions differ between standard libraries.
//
//===----------------------------------------------------------------------===//

#include "SkewOption.h"

#include "cclc/Support/Decimal.h"
#include "cclc/Tools/Cli/Values.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <random>

using namespace cclc;
using llvm::formatv;

namespace {
/// A number in [0, most].
std::optional<double> parseNumber(StringRef text, double most) {
  double value;
  if (text.empty() || text.getAsDouble(value) || !(value >= 0) || !(value <= most))
    return std::nullopt;
  return value;
}

bool parseOne(StringRef who, StringRef value, std::vector<Skew> &skew) {
  if (who == "random") {
    auto [most, seedText] = value.split(':');
    std::optional<SimTime> limit = parseSeconds(most);
    uint64_t seed = 0;
    if (!limit || (value.contains(':') && seedText.getAsInteger(10, seed)))
      return false;
    // The standard specifies the numbers of the engine, but not those of distributions.
    std::mt19937_64 numbers(seed);
    for (Skew &rank : skew)
      rank.start = SimTime(int64_t((Wide(numbers() >> 1) * limit->picoseconds()) >> 63));
    return true;
  }
  uint32_t rank;
  if (who.getAsInteger(10, rank) || rank >= skew.size())
    return false;
  if (value.consume_front("x")) {
    std::optional<double> factor = parseNumber(value, 1e6);
    if (!factor)
      return false;
    skew[rank].permille = std::llround(*factor * 1000);
    return true;
  }
  std::optional<SimTime> start = parseSeconds(value);
  if (!start)
    return false;
  skew[rank].start = *start;
  return true;
}
} // namespace

FailureOr<std::vector<Skew>> cclc::parseSkew(ArrayRef<std::string> texts, uint32_t ranks,
                                             DiagnosticEngine &diags) {
  std::vector<Skew> skew(texts.empty() ? 0 : ranks);
  for (const std::string &text : texts) {
    auto [who, value] = StringRef(text).split('=');
    if (!parseOne(who, value, skew))
      return diags.error({}, formatv("--skew takes RANK=SECONDS, RANK=xFACTOR or "
                                     "random=SECONDS[:SEED], with a RANK below {0}, not '{1}'",
                                     ranks, text));
  }
  return skew;
}

LogicalResult cclc::checkSkew(ArrayRef<Skew> skew, bool enginesTakeTime, StringRef target,
                              DiagnosticEngine &diags) {
  for (size_t rank = 0; !enginesTakeTime && rank < skew.size(); ++rank)
    if (skew[rank].permille != 1000) {
      return diags.error({},
                         formatv("--skew {0}=x{1}: the engines of target {2} take no time, and a "
                                 "factor has no effect; set a cost, such as --set "
                                 "pe.dispatch=100e-9, or delay the rank: --skew {0}=SECONDS",
                                 rank, trimmed(thousandths(skew[rank].permille)), target));
    }
  return success();
}
