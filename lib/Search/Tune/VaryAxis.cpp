//===- VaryAxis.cpp - Values of a target that change ----------------------===//
//
// The present value of a key is read from the target with every key. Links that a path names by
// their nodes are found by the effect of the path: they differ between two machines in which it has
// two values.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Vary.h"

#include "JsonText.h"

#include "cclc/Support/Decimal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace cclc;
using llvm::formatv;

/// The maximum number of values of an axis.
static constexpr unsigned maxValues = 64;

/// \p value with four digits, and with an exponent that is a multiple of 3: "141.4e9".
static std::string fourDigits(double value) {
  int exponent = int(std::floor(std::log10(value)));
  double unit = std::pow(10.0, exponent - 3);
  double rounded = std::round(value / unit) * unit;
  int thousands = rounded >= 1e6 || rounded < 1e-3 ? int(std::floor(exponent / 3.0)) * 3 : 0;
  std::string text = formatv("{0:f4}", rounded / std::pow(10.0, thousands));
  text = trimmed(text);
  return thousands ? text + "e" + std::to_string(thousands) : text;
}

std::string BaseValue::text() const {
  std::string text = value > 0 ? fourDigits(value) : "0";
  double shown = 0;
  if (isWhole && (StringRef(text).getAsDouble(shown) || shown != value))
    return std::to_string(std::llround(value));
  return text;
}

FailureOr<VaryAxis> VaryAxis::parse(StringRef text, DiagnosticEngine &diags) {
  auto invalid = [&] {
    return diags.error({}, formatv("--vary takes PATH=FROM:TO:COUNT with 0 < FROM < TO and a COUNT "
                                   "from 2 to {0}, such as link.bandwidth=50e9:400e9:4, not '{1}'",
                                   maxValues, text));
  };
  DiagnosticEngine ignored;
  FailureOr<TargetOverride> change = parseOverride(text, ignored);
  SmallVector<StringRef, 3> parts;
  if (succeeded(change))
    StringRef(change->value).split(parts, ':');
  double from = 0, to = 0;
  unsigned count = 0;
  if (parts.size() != 3 || parts[0].getAsDouble(from) || parts[1].getAsDouble(to) ||
      parts[2].getAsInteger(10, count) || count < 2 || count > maxValues || !(from > 0) ||
      !(from < to) || !std::isfinite(to))
    return invalid();
  bool isWhole = llvm::all_of(parts[0], llvm::isDigit) && llvm::all_of(parts[1], llvm::isDigit);
  VaryAxis axis{change->path, {parts[0].str()}};
  for (unsigned i = 1; i < count; ++i) {
    double value = from * std::pow(to / from, double(i) / (count - 1));
    std::string next = i + 1 == count ? parts[1].str()
                       : isWhole      ? std::to_string(std::llround(value))
                                      : fourDigits(value);
    if (next != axis.values.back())
      axis.values.push_back(std::move(next));
  }
  return axis;
}

/// The machine of \p problem with another value.
static FailureOr<Machine> withValue(const TuneProblem &problem, const std::string &path,
                                    const std::string &value, DiagnosticEngine &diags) {
  TargetRequest target = problem.target;
  target.overrides.push_back({path, value});
  return loadTarget(target, diags);
}

/// The value that all links named by \p axis have.
static FailureOr<std::optional<BaseValue>>
findLinkValue(const TuneProblem &problem, const VaryAxis &axis, DiagnosticEngine &diags) {
  FailureOr<Machine> low = withValue(problem, axis.path, axis.values.front(), diags);
  FailureOr<Machine> high = withValue(problem, axis.path, axis.values.back(), diags);
  if (failed(low) || failed(high))
    return failure();
  const bool isRate = StringRef(axis.path).ends_with(".bandwidth");
  auto valueOf = [&](const Link &link) {
    return isRate ? double(link.bandwidth.bytesPerSecond())
                  : double(link.propagation.picoseconds()) * 1e-12;
  };
  std::optional<double> value;
  for (const auto &[link, a, b] :
       llvm::zip_equal(problem.machine.links(), low->links(), high->links())) {
    if (valueOf(a) == valueOf(b))
      continue;
    if (value && *value != valueOf(link))
      return std::optional<BaseValue>();
    value = valueOf(link);
  }
  return value ? std::optional(BaseValue{*value, false}) : std::nullopt;
}

FailureOr<std::optional<BaseValue>>
cclc::findBaseValue(const TuneProblem &problem, const VaryAxis &axis, DiagnosticEngine &diags) {
  if (StringRef(axis.path).contains("->"))
    return findLinkValue(problem, axis, diags);
  nlohmann::json document = parseJson(problem.resolvedTarget);
  const nlohmann::json *at = &document;
  for (StringRef key : llvm::split(axis.path, '.')) {
    auto found = at->find(key.str());
    if (!at->is_object() || found == at->end())
      return std::optional<BaseValue>();
    at = &*found;
  }
  if (!at->is_number())
    return std::optional<BaseValue>();
  return std::optional(BaseValue{at->get<double>(), at->is_number_unsigned()});
}

std::vector<std::vector<TargetOverride>> cclc::combinations(ArrayRef<VaryAxis> axes) {
  std::vector<std::vector<TargetOverride>> all = {{}};
  for (const VaryAxis &axis : axes) {
    std::vector<std::vector<TargetOverride>> longer;
    for (const std::vector<TargetOverride> &changes : all)
      for (const std::string &value : axis.values) {
        longer.push_back(changes);
        longer.back().push_back({axis.path, value});
      }
    all = std::move(longer);
  }
  return all;
}
