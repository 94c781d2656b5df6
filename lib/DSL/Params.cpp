//===- Params.cpp - Text of parameters and their values -------------------===//
//
// Values are kept as canonical text: accept() checks a text against the domain and rewrites it
// ("on" becomes "yes", "007" becomes "7"), so that equal values have equal text. get()
// converts a value back.
//
//===----------------------------------------------------------------------===//

#include "cclc/DSL/Params.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

using namespace cclc::dsl;

ParamSpec::ParamSpec(const IntParam &param)
    : name(param.name), help(param.help), type(Type::Int), value(std::to_string(param.value)),
      min(param.min), max(param.max), tuning(param.tuning) {}

ParamSpec::ParamSpec(const BoolParam &param)
    : name(param.name), help(param.help), type(Type::Bool), value(param.value ? "yes" : "no") {}

ParamSpec::ParamSpec(const ChoiceParam &param)
    : name(param.name), help(param.help), type(Type::Choice), value(param.value) {
  for (const char *choice : param.choices)
    if (choice)
      choices.push_back(choice);
}

std::string ParamSpec::domain() const {
  switch (type) {
  case Type::Int:
    return "integer " + std::to_string(min) + ".." + std::to_string(max);
  case Type::Bool:
    return "yes or no";
  case Type::Choice:
    break;
  }
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i)
    text += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i];
  return text;
}

static bool parseInt(const std::string &text, int &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParamSpec::accept(std::string &text) const {
  switch (type) {
  case Type::Int: {
    int number;
    if (!parseInt(text, number) || number < min || number > max)
      return false;
    text = std::to_string(number);
    return true;
  }
  case Type::Bool:
    for (const char *yes : {"yes", "true", "on", "1"})
      if (text == yes)
        return text = "yes", true;
    for (const char *no : {"no", "false", "off", "0"})
      if (text == no)
        return text = "no", true;
    return false;
  case Type::Choice:
    return std::find(choices.begin(), choices.end(), text) != choices.end();
  }
  return false;
}

bool ParamValues::has(std::string_view name) const {
  return std::any_of(values.begin(), values.end(),
                     [&](const auto &value) { return value.first == name; });
}

const std::string &ParamValues::find(const char *name) const {
  for (const auto &[key, value] : values)
    if (key == name)
      return value;
  throw std::invalid_argument("parameter '" + std::string(name) + "' is not declared");
}

int ParamValues::get(const IntParam &param) const {
  int value = 0;
  parseInt(find(param.name), value);
  return value;
}

bool ParamValues::get(const BoolParam &param) const { return find(param.name) == "yes"; }

std::string_view ParamValues::get(const ChoiceParam &param) const { return find(param.name); }
