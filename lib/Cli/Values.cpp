//===- Values.cpp - Parsing values of options -----------------------------===//
//
// Parsers for sizes, KEY=VALUE, slots and lists of fusions. Each must consume the whole text, so a
// size such as 1MB is an error.
//
//===----------------------------------------------------------------------===//

#include "cclc/Cli/Values.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;

std::optional<uint64_t> cclc::parseSize(StringRef text) {
  StringRef digits = text.take_while(llvm::isDigit);
  std::optional<unsigned> shift =
      llvm::StringSwitch<std::optional<unsigned>>(text.drop_front(digits.size()))
          .Case("", 0)
          .Cases("K", "KiB", 10)
          .Cases("M", "MiB", 20)
          .Cases("G", "GiB", 30)
          .Cases("T", "TiB", 40)
          .Default(std::nullopt);
  uint64_t number;
  if (!shift || digits.getAsInteger(10, number) || number > (~uint64_t(0) >> *shift))
    return std::nullopt;
  return number << *shift;
}

std::optional<uint64_t> cclc::parseSize(StringRef option, StringRef text, DiagnosticEngine &diags) {
  std::optional<uint64_t> size = parseSize(text);
  if (!size)
    diags.error({}, option + " takes a size such as 512, 64K, 1MiB or 1GiB, not '" + text + "'");
  return size;
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
