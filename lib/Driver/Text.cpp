#include "Text.h"

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

std::string cclc::hashText(uint64_t hash) { return llvm::formatv("{0:x-16}", hash); }

std::string cclc::counted(uint64_t number, StringRef what) {
  return (llvm::Twine(number) + " " + what + (number == 1 ? "" : "s")).str();
}

std::string cclc::didYouMean(StringRef word, ArrayRef<std::string> candidates) {
  unsigned least = std::max<size_t>(word.size() / 3, 1) + 1;
  std::string nearest;
  for (const std::string &candidate : candidates) {
    unsigned distance = word.edit_distance(candidate, /*AllowReplacements=*/true, least);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : " (did you mean '" + nearest + "'?)";
}

std::string cclc::wrapped(StringRef text, unsigned indent, unsigned width) {
  std::string result;
  size_t column = 0;
  SmallVector<StringRef, 32> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    if (column > 0 && column + 1 + word.size() > width) {
      result += '\n';
      column = 0;
    }
    if (column == 0) {
      result.append(indent, ' ');
      column = indent;
    } else {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}
