//===- Text.cpp - Words and characters of printed texts -------------------===//
//
// Functions over whole strings, one pass each.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/Text.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;

std::string cclc::hashText(uint64_t hash) { return llvm::formatv("{0:x-16}", hash); }

StringRef cclc::withoutByteOrderMark(StringRef text) {
  text.consume_front("\xef\xbb\xbf");
  return text;
}

/// \p text with the characters escaped that end an attribute or an element. XML readers convert
/// white space to spaces in attributes, unless it is written as character references.
static std::string xmlEscaped(StringRef text, bool attribute) {
  std::string result;
  for (char c : text)
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '"' && attribute)
      result += "&quot;";
    else if (c == '>' && !attribute)
      result += "&gt;";
    else if (c == '\r' || (attribute && (c == '\t' || c == '\n')))
      result += "&#" + std::to_string(int(c)) + ";";
    else
      result += static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' ? ' ' : c;
  return result;
}

std::string cclc::xmlAttribute(StringRef text) { return xmlEscaped(text, true); }
std::string cclc::xmlText(StringRef text) { return xmlEscaped(text, false); }

std::string cclc::counted(uint64_t number, StringRef what) {
  return (llvm::Twine(number) + " " + what + (number == 1 ? "" : "s")).str();
}

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
