//===- HostList.cpp - Lists of hosts --------------------------------------===//
//
// SLURM writes a set of names in short form (hostlist expressions, scontrol(1)): "a[1-3,07-09]b,c"
// is a1b, a2b, a3b, a07b, a08b, a09b and c. A name may have several brackets. The number of names
// is limited, as a short text can have many.
//
//===----------------------------------------------------------------------===//

#include "Fabric.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
constexpr size_t mostHosts = 1 << 16, longestItem = 1 << 10;
constexpr uint32_t mostNumber = 999'999'999;

/// The numbers of "1-3,07-09" with their zeros, or none if the text is wrong.
std::vector<std::string> numbersOf(StringRef ranges) {
  std::vector<std::string> numbers;
  for (StringRef range : llvm::split(ranges, ',')) {
    auto [firstText, lastText] = range.split('-');
    uint32_t first, last;
    if (!range.contains('-'))
      lastText = firstText;
    if (firstText.getAsInteger(10, first) || lastText.getAsInteger(10, last) || last < first ||
        last > mostNumber || numbers.size() + last - first >= mostHosts || firstText.size() > 16)
      return {};
    for (uint32_t number = first; number <= last; ++number) {
      std::string digits = std::to_string(number);
      numbers.push_back(
          std::string(firstText.size() - std::min(firstText.size(), digits.size()), '0') + digits);
    }
  }
  return numbers;
}

/// Appends the names of "a[1-3]b[4,5]"; returns false if the text is wrong.
bool appendHosts(StringRef item, std::vector<std::string> &hosts) {
  if (item.empty() || item.size() > longestItem)
    return false;
  std::vector<std::string> names{""};
  while (!item.empty()) {
    StringRef plain = item.take_until([](char c) { return c == '['; });
    for (std::string &name : names)
      name += plain;
    item = item.drop_front(plain.size());
    if (item.empty())
      break;
    if (!item.contains(']'))
      return false;
    auto [ranges, behind] = item.drop_front().split(']');
    std::vector<std::string> numbers = numbersOf(ranges), longer;
    if (numbers.empty() || numbers.size() * names.size() > mostHosts)
      return false;
    for (const std::string &name : names)
      for (const std::string &number : numbers)
        longer.push_back(name + number);
    names = std::move(longer);
    item = behind;
  }
  hosts.insert(hosts.end(), names.begin(), names.end());
  return hosts.size() <= mostHosts;
}
} // namespace

FailureOr<std::vector<std::string>> cclc::hostsOfList(StringRef list, const Location &at,
                                                      DiagnosticEngine &diags) {
  std::vector<std::string> hosts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size())
      depth += (list[i] == '[') - (list[i] == ']');
    if (i < list.size() && (list[i] != ',' || depth > 0))
      continue;
    if (!appendHosts(list.slice(begin, i).trim(), hosts))
      return diags.error(at,
                         formatv("'{0}' is not a list of at most {1} hosts such as a[1-3,07-09],b",
                                 list.take_front(longestItem), mostHosts));
    begin = i + 1;
  }
  return hosts;
}

LogicalResult cclc::parseNodes(StringRef text, ImportOptions &options, DiagnosticEngine &diags) {
  uint32_t number;
  if (!text.getAsInteger(10, number) && number > 0 && number <= mostHosts) {
    options.nodes = number;
    return success();
  }
  if (text.find_first_not_of("-0123456789") == StringRef::npos)
    return diags.error({},
                       formatv("--nodes takes a whole number from 1 to {0}, or a list of hosts, "
                               "not '{1}'",
                               mostHosts, text));
  FailureOr<std::vector<std::string>> hosts = hostsOfList(text, {}, diags);
  if (failed(hosts))
    return failure();
  options.hosts = std::move(*hosts);
  return success();
}
