//===- Siblings.cpp - Values that differ from most others -----------------===//
//
// The usual value is the one that most parts have. Parts with a lower one are grouped by their
// value, so that each group is one message.
//
//===----------------------------------------------------------------------===//

#include "Siblings.h"

#include "cclc/Support/Decimal.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using llvm::formatv;

/// A list of more names is shortened.
static constexpr size_t mostNames = 16;

std::string cclc::rateText(uint64_t rate) { return trimmed(gigabytesText(rate)) + " GB/s"; }

std::string cclc::listText(ArrayRef<std::string> names) {
  if (names.size() > mostNames)
    return formatv("{0} and {1} others", names[0], names.size() - 1);
  if (names.size() == 1)
    return names[0];
  return llvm::join(names.drop_back(), ", ") + " and " + names.back();
}

std::string Lower::othersText() const {
  if (!areAll)
    return others == 1 ? std::string("1 other has") : formatv("{0} others have", others).str();
  return others == 1 ? std::string("the other has") : formatv("the other {0} have", others).str();
}

std::string Lower::subject() const {
  return listText(names) + (names.size() == 1 ? " has" : " have");
}

uint64_t cclc::usualValue(ArrayRef<Part> parts) {
  std::map<uint64_t, size_t> numbers;
  for (const Part &part : parts)
    ++numbers[part.value];
  uint64_t usual = 0;
  size_t most = 0;
  for (const auto &[value, number] : numbers)
    if (number >= most) {
      usual = value;
      most = number;
    }
  return usual;
}

std::vector<Lower> cclc::lowerThanUsual(ArrayRef<Part> parts) {
  const uint64_t usual = usualValue(parts);
  std::map<uint64_t, std::vector<std::string>> byValue;
  for (const Part &part : parts)
    byValue[part.value].push_back(part.name);
  const size_t most = byValue[usual].size();
  std::vector<Lower> result;
  for (const auto &[value, names] : byValue)
    if (value < usual)
      result.push_back({names, value, usual, most, names.size() + most == parts.size()});
  return result;
}
