//===- AdviceCommands.cpp - Changes as options and commands ---------------===//
//
// Both are printed for a shell: a word with other characters than letters, digits and a few signs
// is quoted.
//
//===----------------------------------------------------------------------===//

#include "AdvicePrograms.h"

#include "cclc/Target/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace cclc;

/// \p text as one word of a shell.
static std::string shellWord(StringRef text) {
  auto isPlain = [](char c) { return llvm::isAlnum(c) || StringRef("_-./:=,+%@").contains(c); };
  if (!text.empty() && llvm::all_of(text, isPlain))
    return text.str();
  std::string word = "'";
  for (char c : text)
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string UndoneSkew::text() const {
  return rank ? std::to_string(*rank) + (ofEngines ? "=x1" : "=0") : "random=0";
}

std::string AddedOptions::text() const {
  std::string all;
  auto add = [&](StringRef option, StringRef value) {
    all += (all.empty() ? "" : " ") + option.str() + " " + shellWord(value);
  };
  for (const std::string &setting : settings)
    add("--set", setting);
  if (skew)
    add("--skew", skew->text());
  if (slots)
    add("--slots", slots->str());
  return all;
}

std::string ProgramCandidate::command() const {
  std::string text = "cclc " + program->name();
  auto add = [&](StringRef option, StringRef value) {
    text += " " + option.str() + " " + shellWord(value);
  };
  for (const auto &[name, value] : request.parameters)
    add("-p", name + "=" + value);
  if (request.ranks)
    add("--ranks", std::to_string(*request.ranks));
  if (!request.endpoints.empty())
    add("--endpoints", endpointsText(request.endpoints));
  if (request.instances)
    add("--instances", std::to_string(*request.instances));
  if (request.protocol)
    add("--protocol", protocolName(*request.protocol));
  if (request.placement)
    add("--placement", rankPlacementName(*request.placement));
  if (request.slots)
    add("--slots", request.slots->str());
  if (request.slotSize)
    add("--slot-size", std::to_string(request.slotSize->count()));
  if (request.minBytes)
    add("--min-bytes", std::to_string(request.minBytes));
  if (request.maxBytes)
    add("--max-bytes", std::to_string(*request.maxBytes));
  add("--target", request.target->nameOrFile);
  for (const TargetOverride &one : request.target->overrides)
    add("--set", one.path + "=" + one.value);
  return text;
}
