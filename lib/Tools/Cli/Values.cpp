//===- Values.cpp - Parsing values of options -----------------------------===//
//
// Parsers for sizes, KEY=VALUE, slots and lists of fusions. Each must consume the whole text, so a
// size such as 1MB is an error.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Cli/Values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace cclc;

std::optional<uint64_t> cclc::parseSize(StringRef option, StringRef text, DiagnosticEngine &diags) {
  std::optional<uint64_t> size = parseSize(text);
  if (!size)
    diags.error({}, option + " takes a size such as 512, 64K, 1MiB or 1GiB, not '" + text + "'");
  return size;
}

std::optional<SimTime> cclc::parseSeconds(StringRef text) {
  constexpr double most = 1e6;
  double seconds;
  if (text.empty() || text.getAsDouble(seconds) || !(seconds >= 0) || !(seconds <= most))
    return std::nullopt;
  return SimTime(std::llround(seconds * 1e12));
}

/// Appends the numbers of "3", "8-15" or "0-56:8".
static bool addRange(StringRef text, std::vector<uint32_t> &numbers) {
  constexpr uint32_t most = 1 << 20;
  auto [range, stepText] = text.split(':');
  auto [firstText, lastText] = range.split('-');
  uint32_t first, last, step = 1;
  if (firstText.getAsInteger(10, first) || first > most)
    return false;
  last = first;
  if (range.contains('-') && (lastText.getAsInteger(10, last) || last > most || last < first))
    return false;
  if (text.contains(':') &&
      (!range.contains('-') || stepText.getAsInteger(10, step) || step == 0 || step > most))
    return false;
  for (uint32_t number = first; number <= last; number += step)
    numbers.push_back(number);
  return true;
}

std::optional<std::vector<uint32_t>> cclc::parseNumbers(StringRef option, StringRef text,
                                                        DiagnosticEngine &diags) {
  std::vector<uint32_t> numbers;
  SmallVector<StringRef, 8> parts;
  text.split(parts, ',');
  for (StringRef part : parts)
    if (!addRange(part, numbers)) {
      diags.error({}, option + " takes numbers and ranges such as 0,2,8-15 or 0-56:8, not '" +
                          text + "'");
      return std::nullopt;
    }
  std::vector<uint32_t> sorted = numbers;
  llvm::sort(sorted);
  auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end())
    return numbers;
  diags.error({}, option + " lists " + llvm::Twine(*twice) + " twice");
  return std::nullopt;
}

std::optional<std::pair<std::string, std::string>>
cclc::parseKeyValue(StringRef option, StringRef text, DiagnosticEngine &diags) {
  auto [key, value] = text.split('=');
  if (!text.contains('=') || key.empty()) {
    diags.error({}, option + " takes KEY=VALUE, not '" + text + "'");
    return std::nullopt;
  }
  return std::pair(key.str(), value.str());
}

std::optional<Slots> cclc::parseSlots(StringRef text, DiagnosticEngine &diags) {
  std::optional<Slots> slots = Slots::parse(text);
  if (!slots)
    diags.error({}, "--slots takes a number of at least 1 or inf, not '" + text + "'");
  return slots;
}

std::optional<FusionOptions> cclc::parseFusion(StringRef text, DiagnosticEngine &diags) {
  FusionOptions fusion = FusionOptions::none();
  SmallVector<StringRef, 4> kinds;
  text.split(kinds, ',', -1, /*KeepEmpty=*/false);
  for (StringRef kind : kinds) {
    bool *on = kind == "rcs"    ? &fusion.rcs
               : kind == "rrcs" ? &fusion.rrcs
               : kind == "rrs"  ? &fusion.rrs
                                : nullptr;
    if (!on) {
      diags.error({}, "--fuse takes a list of rcs, rrcs and rrs, not '" + kind + "'");
      return std::nullopt;
    }
    *on = true;
  }
  return fusion;
}
