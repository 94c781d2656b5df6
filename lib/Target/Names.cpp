//===- Names.cpp - Names of nodes and endpoints ---------------------------===//

#include "cclc/Target/Names.h"

#include "llvm/ADT/StringExtras.h"

using namespace cclc;

std::string cclc::nodeNameClass(StringRef name) {
  std::string result;
  for (char c : name)
    if (!llvm::isDigit(c))
      result += c;
    else if (result.empty() || result.back() != '*')
      result += '*';
  return result;
}

std::string cclc::endpointsText(ArrayRef<uint32_t> all) {
  std::string text;
  for (size_t i = 0, last; i < all.size(); i = last + 1) {
    last = i;
    int64_t step = i + 2 < all.size() ? int64_t(all[i + 1]) - all[i] : 0;
    while (step > 0 && last + 1 < all.size() && int64_t(all[last + 1]) - all[last] == step)
      ++last;
    if (last < i + 2)
      last = i;
    text += (i ? "," : "") + std::to_string(all[i]);
    if (last > i)
      text += "-" + std::to_string(all[last]) + (step > 1 ? ":" + std::to_string(step) : "");
  }
  return text;
}
