//===- PassRegistry.cpp - Parsing pipelines -------------------------------===//
//
// A parser without separate tokens: name, options in braces, comma. The input level of each pass is
// compared with the output level of its predecessor, so that an invalid pipeline is rejected before
// it runs. Options are marked when a pass reads them; an unmarked option is unknown.
//
//===----------------------------------------------------------------------===//

#include "cclc/Transforms/Pass/PassRegistry.h"

#include "cclc/Support/Text.h"

#include "llvm/ADT/StringSwitch.h"

using namespace cclc;

bool PassOptions::flag(StringRef key, bool otherwise) {
  std::string value = text(key, otherwise ? "yes" : "no");
  std::optional<bool> parsed = llvm::StringSwitch<std::optional<bool>>(value)
                                   .Cases("yes", "true", "1", true)
                                   .Cases("no", "false", "0", false)
                                   .Default(std::nullopt);
  if (!parsed)
    badValue = "option '" + key.str() + "' takes yes or no, not '" + value + "'";
  return parsed.value_or(otherwise);
}

std::optional<std::string> PassOptions::given(StringRef key) {
  auto it = values.find(key.str());
  if (it == values.end())
    return std::nullopt;
  it->second.used = true;
  return it->second.text;
}

std::string PassOptions::text(StringRef key, StringRef otherwise) {
  return given(key).value_or(otherwise.str());
}

std::optional<uint32_t> PassOptions::number(StringRef key) {
  std::optional<std::string> value = given(key);
  if (!value)
    return std::nullopt;
  uint32_t number;
  if (StringRef(*value).getAsInteger(10, number)) {
    badValue = "option '" + key.str() + "' takes a number, not '" + *value + "'";
    return std::nullopt;
  }
  return number;
}

std::optional<Slots> PassOptions::slots(StringRef key) {
  std::optional<std::string> value = given(key);
  if (!value)
    return std::nullopt;
  std::optional<Slots> parsed = Slots::parse(*value);
  if (!parsed)
    badValue =
        "option '" + key.str() + "' takes a number of at least 1 or inf, not '" + *value + "'";
  return parsed;
}

std::string PassOptions::choice(StringRef key, ArrayRef<StringRef> words) {
  std::string value = text(key, words.front());
  if (!llvm::is_contained(words, value))
    badValue = "option '" + key.str() + "' " + mustBeOneOf(words, value);
  return value;
}

std::optional<std::string> PassOptions::problem() const {
  if (badValue)
    return badValue;
  for (const auto &[key, value] : values)
    if (!value.used)
      return "unknown option '" + key + "'";
  return std::nullopt;
}

const PassEntry *PassRegistry::find(StringRef name) const {
  for (const PassEntry &entry : entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

FailureOr<std::vector<std::unique_ptr<Pass>>>
PassRegistry::parsePipeline(StringRef text, DiagnosticEngine &diags) const {
  std::vector<std::unique_ptr<Pass>> passes;
  std::optional<Level> level;
  text = text.trim();
  while (!text.empty()) {
    StringRef name = text.take_until([](char c) { return c == ',' || c == '{'; });
    text = text.drop_front(name.size());
    name = name.trim();
    PassOptions options;
    if (text.consume_front("{")) {
      size_t end = text.find('}');
      if (end == StringRef::npos)
        return diags.error({}, "pass pipeline: '{' after '" + name + "' is not closed");
      SmallVector<StringRef, 4> pairs;
      text.take_front(end).split(pairs, ',', -1, /*KeepEmpty=*/false);
      for (StringRef pair : pairs) {
        auto [key, value] = pair.split('=');
        options.set(key.trim(), value.trim());
      }
      text = text.drop_front(end + 1);
    }
    text = text.ltrim();
    if (!text.empty() && !text.consume_front(","))
      return diags.error({}, "pass pipeline: expected ',' before '" + text + "'");
    text = text.ltrim();

    const PassEntry *entry = find(name);
    if (!entry)
      return diags.error({}, "unknown pass '" + name + "'; --list-passes lists them");
    if (level && *level != entry->input)
      return diags.error({}, "pass '" + name + "' takes a program of the " +
                                 levelName(entry->input) +
                                 " level, but the previous pass returns " + levelName(*level));
    level = entry->output;
    passes.push_back(entry->create(options));
    if (std::optional<std::string> problem = options.problem())
      return diags.error({}, "pass '" + name + "': " + *problem);
  }
  return passes;
}
