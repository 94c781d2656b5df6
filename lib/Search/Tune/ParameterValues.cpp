//===- ParameterValues.cpp - Ladders and lists of values ------------------===//
//
// Given values come before those of a declaration, for numbers and for words.
//
//===----------------------------------------------------------------------===//

#include "ParameterValues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <set>

using namespace cclc;
using dsl::ParamSpec;
using dsl::Tuning;
using llvm::formatv;

/// A number with up to this many values is tried with each one in an exhaustive search.
static constexpr int fewValues = 16;

std::vector<std::string> ParameterValues::givenTo(const ParamSpec &spec) const {
  std::vector<std::string> values;
  if (auto found = given.find(spec.name); found != given.end())
    values = found->second;
  for (std::string &value : values)
    spec.accept(value);
  return values;
}

std::optional<ParameterValues::Ladder> ParameterValues::ladder(const ParamSpec &spec) const {
  if (spec.type != ParamSpec::Type::Int || spec.tuning.kind != Tuning::Kind::Doubled ||
      isGiven(spec))
    return std::nullopt;
  const int lowest = std::max(spec.min, 1);
  return Ladder{uint32_t(lowest), uint32_t(std::clamp(spec.tuning.most, lowest, spec.max))};
}

std::string ParameterValues::first(const ParamSpec &spec) const {
  if (std::vector<std::string> values = givenTo(spec); !values.empty())
    return values.front();
  std::optional<Ladder> found = ladder(spec);
  return found ? std::to_string(found->lowest) : spec.value;
}

Candidate ParameterValues::lowest(const Candidate &candidate) const {
  Candidate found = candidate;
  for (const ParamSpec &spec : candidate.program->params())
    found = found.with(spec, first(spec));
  return found;
}

/// The numbers of \p spec that an exhaustive search tries; \p ranks limits those on no ladder.
static std::vector<std::string> allNumbers(const ParamSpec &spec, bool hasLadder, uint32_t ranks) {
  std::set<int64_t> values = {spec.min}; // 0 often means all
  int64_t number = 0;
  if (!StringRef(spec.value).getAsInteger(10, number))
    values.insert(number);
  int64_t most = hasLadder ? int64_t(spec.max) : std::min<int64_t>(spec.max, ranks);
  if (!hasLadder || most - spec.min < fewValues)
    for (int64_t value = spec.min; value <= most; ++value)
      values.insert(value);
  std::vector<std::string> texts;
  for (int64_t value : values)
    texts.push_back(std::to_string(value));
  return texts;
}

std::vector<std::string> ParameterValues::others(const ParamSpec &spec, bool exhaustive) const {
  std::vector<std::string> values = givenTo(spec);
  const bool isGiven = !values.empty();
  const bool hasLadder = ladder(spec).has_value();
  if (!isGiven) {
    if ((hasLadder && !exhaustive) || spec.tuning.kind == Tuning::Kind::Fixed)
      return values;
    switch (spec.type) {
    case ParamSpec::Type::Int:
      if (exhaustive)
        values = allNumbers(spec, hasLadder, ranks);
      else
        for (int value : ArrayRef(spec.tuning.values).take_front(spec.tuning.count))
          if (value >= spec.min && value <= spec.max && uint32_t(value) <= ranks)
            values.push_back(std::to_string(value));
      break;
    case ParamSpec::Type::Bool:
      values = {"yes", "no"};
      break;
    case ParamSpec::Type::Choice:
      values = spec.choices;
      break;
    }
  }
  if (!exhaustive)
    llvm::erase(values, first(spec));
  return values;
}

std::vector<std::string> ParameterValues::nextTo(const ParamSpec &spec,
                                                 const std::string &value) const {
  std::vector<std::string> values;
  if (std::optional<Ladder> found = ladder(spec)) {
    uint64_t number = 0;
    if (StringRef(value).getAsInteger(10, number))
      return values;
    for (uint64_t next : {number * 2, number / 2})
      if (next >= found->lowest && next <= found->highest && next != number)
        values.push_back(std::to_string(next));
    return values;
  }
  values = others(spec);
  if (spec.tuning.kind != Tuning::Kind::Fixed || isGiven(spec))
    values.push_back(first(spec));
  llvm::erase(values, value);
  return values;
}

LogicalResult ParameterValues::check(ArrayRef<const dsl::Declaration *> programs,
                                     DiagnosticEngine &diags) const {
  for (const auto &[name, values] : given) {
    bool isKnown = false;
    for (const dsl::Declaration *program : programs)
      for (const ParamSpec &spec : program->params()) {
        if (spec.name != name)
          continue;
        isKnown = true;
        for (std::string value : values)
          if (!spec.accept(value))
            return diags.error({}, formatv("-p {0}: '{1}' is no value of {0} of {2}: {3}", name,
                                           value, program->name(), spec.domain()));
      }
    if (!isKnown)
      return diags.error({}, formatv("-p {0}: no program of the search has this parameter; 'cclc "
                                     "describe PROGRAM' lists those of a program",
                                     name));
  }
  return success();
}
