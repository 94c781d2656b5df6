#include "cclc/Support/Printable.h"

#include "llvm/ADT/StringExtras.h"

using namespace cclc;

std::string cclc::printable(StringRef text) {
  std::string result;
  result.reserve(text.size());
  auto hex = [&](unsigned char c) {
    result += "\\x";
    result += llvm::hexdigit(c >> 4, /*LowerCase=*/true);
    result += llvm::hexdigit(c & 15, /*LowerCase=*/true);
  };
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\r') {
      result += "\\r";
    } else if (c == '\t') {
      result += "\\t";
    } else if (c < 0x20 || c == 0x7f) {
      hex(c);
    } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
      hex(next);
      ++i;
    } else {
      result += text[i];
    }
  }
  return result;
}
