//===- Refit.cpp - Values of a target by descent --------------------------===//
//
// The mean of the logarithms of the ratios between predicted and measured times, without signs, is
// decreased, and that of the ratios between plans that are alternatives; unlike squares, these are
// not governed by a few bad plans. A time is a sum of costs as long as its critical path does not
// change, so linear fits to the slopes of all times alternate with changes of one value at a time
// by a factor, which becomes smaller when no change helps any more.
//
//===----------------------------------------------------------------------===//

#include "Refit.h"

#include "JsonText.h"
#include "LinearFit.h"
#include "Prediction.h"

#include "cclc/Formats/MeasuredTimes.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Support/OutputFile.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <map>

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

namespace {
/// What a value of a target is to the times.
enum class Effect : uint8_t { Cost, Rate, Other };
struct FittedKey {
  const char *path;
  Effect effect;
};
/// A value of the target.
struct Value {
  FittedKey key;
  double original, fitted;

  /// The cost of one unit, or the value that has this cost.
  double cost(double of) const { return key.effect == Effect::Rate ? 1 / of : of; }
};
} // namespace

/// The values that are fitted, if the target has them.
static constexpr FittedKey fittedKeys[] = {{"launch", Effect::Cost},
                                           {"pe.dispatch", Effect::Cost},
                                           {"pe.local_dispatch", Effect::Cost},
                                           {"pe.math.cycle", Effect::Cost},
                                           {"pe.copy.cycle", Effect::Cost},
                                           {"link.bandwidth", Effect::Rate},
                                           {"link.propagation", Effect::Cost},
                                           {"processors.copy_bandwidth", Effect::Rate},
                                           {"processors.latency", Effect::Cost},
                                           {"processors.fetch_bandwidth", Effect::Rate},
                                           {"processors.cache", Effect::Other},
                                           {"processors.memory_factor", Effect::Other}};
/// A value stays within this factor of the original one.
static constexpr double widest = 64;
/// The change of a cost from which the slopes of times are taken.
static constexpr double slopeStep = 1.1;
/// The factors by which values are changed, one after the other.
static constexpr double factors[] = {4, 2, 1.4, 1.2, 1.1, 1.05, 1.02};
/// A change must decrease the distance by this, so that values that no time depends on remain.
static constexpr double leastGain = 0.0005;
/// Times of two plans of one collective are different from this ratio on.
static constexpr double different = 1.2;

namespace {
/// A measured time.
struct Row {
  size_t plan;
  Bytes bytes;
  double measured; ///< in nanoseconds
};
/// The logarithms of predicted over measured times.
using Errors = std::vector<double>;

/// How far the predictions of some rows are from their times.
struct Accuracy {
  double medianError;
  uint64_t pairs = 0, rightPairs = 0; ///< of plans with different times
};

class Fit {
public:
  Fit(const MeasuredTimes &measured, std::string target, std::string targetDir, Progress &progress)
      : measured(measured), target(std::move(target)), targetDir(std::move(targetDir)),
        progress(progress) {}

  /// Reads the plans and the values of the target.
  LogicalResult read(DiagnosticEngine &diags);
  /// The errors of \p used with the fitted values. Fails if the target refuses these.
  FailureOr<Errors> predict(ArrayRef<Row> used, DiagnosticEngine &diags) const;
  /// Fits the values to \p used.
  LogicalResult descend(ArrayRef<Row> used, StringRef stage, DiagnosticEngine &diags);
  Accuracy accuracy(ArrayRef<Row> of, ArrayRef<double> errors) const;
  void reset() {
    for (Value &value : values)
      value.fitted = value.original;
  }

  std::vector<ExecPlan> plans;
  std::vector<Row> rows; ///< plan after plan
  std::vector<Value> values;

private:
  /// Whether the times are of plans of one collective with one size.
  bool areAlternatives(const Row &a, const Row &b) const;
  double distance(ArrayRef<Row> used, ArrayRef<double> errors) const;
  std::vector<TargetOverride> overrides() const;
  std::vector<double> fitted() const {
    std::vector<double> result;
    for (const Value &value : values)
      result.push_back(value.fitted);
    return result;
  }
  /// Keeps the values \p fitted if the distance of \p used is smaller than \p least with them.
  bool attempt(ArrayRef<Row> used, ArrayRef<double> fitted, double &least);
  std::optional<std::vector<double>> linearValues(ArrayRef<Row> used);

  const MeasuredTimes &measured;
  DataType type = DataType::F32;
  std::string target, targetDir;
  Progress &progress;
};
} // namespace

/// The number at \p path of \p document, if it is above 0.
static std::optional<double> numberAt(const ordered_json &document, StringRef path) {
  const ordered_json *at = &document;
  for (StringRef part : llvm::split(path, '.')) {
    if (!at->is_object() || !at->contains(part.str()))
      return std::nullopt;
    at = &at->at(part.str());
  }
  if (!at->is_number() || at->get<double>() <= 0)
    return std::nullopt;
  return at->get<double>();
}

static std::string digits(double value) { return formatv("{0:e4}", value); }

/// The setting of the target.
static TargetOverride settingOf(const Value &value) {
  // A capacity is a whole number.
  const StringRef path = value.key.path;
  return {path.str(), path == "processors.cache" ? std::to_string(std::llround(value.fitted))
                                                 : digits(value.fitted)};
}

LogicalResult Fit::read(DiagnosticEngine &diags) {
  std::optional<DataType> parsed = parseDataType(measured.type);
  if (!parsed)
    return diags.error({}, "the results have unknown elements: " + measured.type);
  type = *parsed;
  std::map<std::string, std::vector<const MeasuredTimes::Time *>> byFile;
  for (const MeasuredTimes::Time &time : measured.times)
    byFile[time.file].push_back(&time);
  for (const auto &[file, times] : byFile) {
    FailureOr<ExecPlan> plan = readPlanFile(file, diags);
    if (failed(plan))
      return failure();
    for (const MeasuredTimes::Time *time : times)
      rows.push_back({plans.size(), Bytes(time->bytes), time->nanoseconds});
    plans.push_back(std::move(*plan));
  }
  std::string resolved;
  if (failed(loadTarget({target, targetDir, {}, plans.front().ranks()}, diags, &resolved)))
    return failure();
  const ordered_json document = parseOrderedJson(resolved);
  for (const FittedKey &key : fittedKeys)
    if (std::optional<double> value = numberAt(document, key.path))
      values.push_back({key, *value, *value});
  if (values.empty())
    return diags.error({target}, "the target has no value that is fitted: make one by "
                                 "ccl-run --calibrate");
  return success();
}

std::vector<TargetOverride> Fit::overrides() const {
  std::vector<TargetOverride> changes;
  for (const Value &value : values)
    if (value.fitted != value.original)
      changes.push_back(settingOf(value));
  return changes;
}

FailureOr<Errors> Fit::predict(ArrayRef<Row> used, DiagnosticEngine &diags) const {
  Errors errors;
  const std::vector<TargetOverride> changes = overrides();
  std::optional<Prediction> prediction;
  std::optional<size_t> current;
  for (const Row &row : used) {
    if (current != row.plan) {
      FailureOr<Prediction> made =
          Prediction::create(plans[row.plan], target, targetDir, diags, changes);
      if (failed(made))
        return failure();
      prediction.emplace(std::move(*made));
      current = row.plan;
    }
    FailureOr<SimTime> time = prediction->at(row.bytes, type, diags);
    if (failed(time))
      return failure();
    errors.push_back(std::log(double(time->picoseconds()) / 1000 / row.measured));
  }
  return errors;
}

bool Fit::areAlternatives(const Row &a, const Row &b) const {
  const Collective &one = plans[a.plan].info().collective, &other = plans[b.plan].info().collective;
  return a.plan != b.plan && a.bytes == b.bytes && one.kind() == other.kind() &&
         one.ranks() == other.ranks();
}

double Fit::distance(ArrayRef<Row> used, ArrayRef<double> errors) const {
  double ofTimes = 0, ofRatios = 0;
  uint64_t ratios = 0;
  for (size_t a = 0; a < used.size(); ++a) {
    ofTimes += std::abs(errors[a]);
    for (size_t b = a + 1; b < used.size(); ++b)
      if (areAlternatives(used[a], used[b])) {
        ofRatios += std::abs(errors[a] - errors[b]);
        ++ratios;
      }
  }
  return ofTimes / double(used.size()) + ofRatios / double(std::max<uint64_t>(ratios, 1));
}

bool Fit::attempt(ArrayRef<Row> used, ArrayRef<double> fitted, double &least) {
  std::vector<double> before;
  for (auto [value, wanted] : llvm::zip(values, fitted)) {
    before.push_back(value.fitted);
    value.fitted = std::clamp(wanted, value.original / widest, value.original * widest);
  }
  DiagnosticEngine refused; // a value that the target does not allow is no improvement
  FailureOr<Errors> errors = predict(used, refused);
  if (const double found = succeeded(errors) ? distance(used, *errors) : least;
      found < least - leastGain) {
    least = found;
    return true;
  }
  for (auto [value, old] : llvm::zip(values, before))
    value.fitted = old;
  return false;
}

/// The values with the least sum of squares of the relative errors, if times are linear in costs;
/// none if a time cannot be predicted.
std::optional<std::vector<double>> Fit::linearValues(ArrayRef<Row> used) {
  DiagnosticEngine refused;
  FailureOr<Errors> base = predict(used, refused);
  std::vector<Observation> rows;
  std::vector<double> found;
  for (const Row &row : used)
    rows.push_back({{}, row.measured});
  for (Value &value : values) {
    found.push_back(value.fitted);
    if (value.key.effect == Effect::Other)
      continue;
    const double cost = value.cost(value.fitted);
    value.fitted = value.cost(cost * slopeStep);
    FailureOr<Errors> more = predict(used, refused);
    value.fitted = found.back();
    if (failed(base) || failed(more))
      return std::nullopt;
    for (size_t i = 0; i < used.size(); ++i)
      rows[i].coefficients.push_back((std::exp((*more)[i]) - std::exp((*base)[i])) *
                                     used[i].measured / (cost * (slopeStep - 1)));
  }
  const std::vector<double> costs = fitLinear(rows);
  for (size_t c = 0; auto [value, fitted] : llvm::zip(values, found))
    if (value.key.effect != Effect::Other)
      fitted = value.cost(std::max(costs[c++], value.cost(value.original) / widest / widest));
  return found;
}

LogicalResult Fit::descend(ArrayRef<Row> used, StringRef stage, DiagnosticEngine &diags) {
  FailureOr<Errors> first = predict(used, diags);
  if (failed(first))
    return failure();
  double least = distance(used, *first);
  auto show = [&](const llvm::Twine &what) {
    progress.stage(formatv("{0}: distance {1:F3}, ", stage, least) + what);
  };
  auto change = [&](size_t which, double factor) {
    std::vector<double> wanted = fitted();
    wanted[which] *= factor;
    return attempt(used, wanted, least);
  };
  for (double factor : factors)
    for (bool improved = true; improved;) {
      show("all costs");
      std::optional<std::vector<double>> linear = linearValues(used);
      improved = linear && attempt(used, *linear, least);
      for (size_t v = 0; v < values.size(); ++v) {
        show(formatv("steps of {0:F0} %, {1}", (factor - 1) * 100, values[v].key.path));
        improved |= change(v, factor) || change(v, 1 / factor);
      }
    }
  return success();
}

Accuracy Fit::accuracy(ArrayRef<Row> of, ArrayRef<double> errors) const {
  std::vector<double> relative;
  for (double error : errors)
    relative.push_back(std::abs(std::exp(error) - 1));
  llvm::sort(relative);
  Accuracy found{relative[relative.size() / 2]};
  for (size_t a = 0; a < of.size(); ++a)
    for (size_t b = a + 1; b < of.size(); ++b) {
      const double ratio = of[a].measured / of[b].measured;
      if (!areAlternatives(of[a], of[b]) || std::max(ratio, 1 / ratio) < different)
        continue;
      ++found.pairs;
      found.rightPairs += (std::log(ratio) + errors[a] - errors[b] > 0) == (ratio > 1);
    }
  return found;
}

namespace {
/// The accuracy before and after a fit, and that of each half of the plans with the values of the
/// other half.
struct Outcome {
  Accuracy before, after, leftOut;
};
} // namespace

static FailureOr<Outcome> fitAll(Fit &fit, DiagnosticEngine &diags) {
  Outcome outcome;
  FailureOr<Errors> before = fit.predict(fit.rows, diags);
  if (failed(before))
    return failure();
  outcome.before = fit.accuracy(fit.rows, *before);
  std::vector<Row> halves[2];
  for (const Row &row : fit.rows)
    halves[row.plan % 2].push_back(row);
  std::vector<Row> others;
  Errors ofOthers;
  for (unsigned half = 0; half < 2 && !halves[1].empty(); ++half) {
    fit.reset();
    if (failed(fit.descend(halves[half], half == 0 ? "first half" : "second half", diags)))
      return failure();
    FailureOr<Errors> errors = fit.predict(halves[1 - half], diags);
    if (failed(errors))
      return failure();
    llvm::append_range(others, halves[1 - half]);
    llvm::append_range(ofOthers, *errors);
  }
  fit.reset();
  if (failed(fit.descend(fit.rows, "all plans", diags)))
    return failure();
  FailureOr<Errors> after = fit.predict(fit.rows, diags);
  if (failed(after))
    return failure();
  outcome.after = fit.accuracy(fit.rows, *after);
  outcome.leftOut = others.empty() ? outcome.after : fit.accuracy(others, ofOthers);
  return outcome;
}

/// The file of \p target with the fitted values.
static LogicalResult writeTarget(const Fit &fit, const RunArguments &args,
                                 const std::string &targetDir, const std::string &provenance,
                                 DiagnosticEngine &diags) {
  std::vector<TargetOverride> changes;
  for (const Value &value : fit.values)
    changes.push_back(settingOf(value));
  FailureOr<Machine> machine =
      loadTarget({*args.predict, targetDir, std::move(changes), fit.plans.front().ranks()}, diags);
  if (failed(machine))
    return failure();
  ordered_json document = parseOrderedJson(machine->stamp.document), shown;
  shown["name"] = llvm::sys::path::stem(*args.output).str();
  shown["// refit"] = provenance;
  for (const auto &[key, value] : document.items())
    if (key != "name")
      shown[key] = value;
  return writeFile(*args.output, [&](raw_ostream &os) { os << jsonText(shown) << '\n'; }, diags);
}

static std::string percent(double value) { return formatv("{0:F1} %", value * 100); }

static std::string order(const Accuracy &accuracy) {
  return accuracy.pairs ? percent(double(accuracy.rightPairs) / double(accuracy.pairs)) : "-";
}

static void print(const Fit &fit, const MeasuredTimes &measured, const Outcome &outcome,
                  raw_ostream &os) {
  os << formatv("{0} of {1}, {2}, {3}\n\n", counted(fit.rows.size(), "time"),
                counted(fit.plans.size(), "plan"), measured.transport, measured.type);
  auto line = [&](StringRef name, StringRef a, StringRef b, StringRef c) {
    os << llvm::left_justify(name, 28) << llvm::right_justify(a, 12) << llvm::right_justify(b, 12)
       << llvm::right_justify(c, 12) << '\n';
  };
  line("", "before", "after", "left out");
  line("median error", percent(outcome.before.medianError), percent(outcome.after.medianError),
       percent(outcome.leftOut.medianError));
  line("order of pairs", order(outcome.before), order(outcome.after), order(outcome.leftOut));
  os << formatv("\n{0} of plans of one collective, number of ranks and size with times that differ "
                "by at least 20 %\nleft out: each half of the plans with the values of the other "
                "half\n\n",
                counted(outcome.before.pairs, "pair"));
  line("value", "before", "after", "");
  for (const Value &value : fit.values)
    line(value.key.path, digits(value.original), digits(value.fitted), "");
}

LogicalResult cclc::refit(const RunArguments &args, const std::string &targetDir,
                          Progress &progress, DiagnosticEngine &diags) {
  FailureOr<MeasuredTimes> measured = readMeasuredTimes(args.from, diags);
  if (failed(measured))
    return failure();
  Fit fit(*measured, *args.predict, targetDir, progress);
  if (failed(fit.read(diags)))
    return failure();
  FailureOr<Outcome> outcome = fitAll(fit, diags);
  if (failed(outcome))
    return failure();
  progress.clear();
  std::string provenance = formatv(
      "{0} of {1} by {2}; their median error was {3}, and is {4}", counted(fit.rows.size(), "time"),
      counted(fit.plans.size(), "plan"), measured->transport, percent(outcome->before.medianError),
      percent(outcome->after.medianError));
  if (failed(writeTarget(fit, args, targetDir, provenance, diags)))
    return failure();
  print(fit, *measured, *outcome, llvm::outs());
  return success();
}
