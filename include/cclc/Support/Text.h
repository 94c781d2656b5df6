//===- Text.h - Formatting short texts --------------------------*- C++ -*-===//

#ifndef CCL_SUPPORT_TEXT_H
#define CCL_SUPPORT_TEXT_H

#include "cclc/Support/LLVM.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace cclc {

/// A reduction hash as it is printed: 16 hexadecimal digits.
std::string hashText(uint64_t hash);

/// \p text without a leading byte order mark.
StringRef withoutByteOrderMark(StringRef text);

/// \p text as the value of an attribute of XML, which keeps white space as character references.
/// Other control characters, which XML cannot contain, become spaces.
std::string xmlAttribute(StringRef text);
/// The same for the text of an element, whose line ends are kept.
std::string xmlText(StringRef text);

/// "512", "64K", "1MiB", "1GiB": bytes, with binary units.
std::optional<uint64_t> parseSize(StringRef text);

/// "1 step", "2 steps".
std::string counted(uint64_t number, StringRef what);

/// "must be one of a, b; found 'c'", for a list of strings of any type.
template <typename Words> std::string mustBeOneOf(const Words &words, StringRef found) {
  return "must be one of " + llvm::join(words, ", ") + "; found '" + found.str() + "'";
}

/// The enumerator of an enumeration whose names are \p names in the order of the enumerators.
template <typename Enum, typename Names>
std::optional<Enum> enumeratorOf(const Names &names, std::string_view name) {
  const auto at = std::find(std::begin(names), std::end(names), name);
  return at == std::end(names) ? std::nullopt
                               : std::optional(static_cast<Enum>(at - std::begin(names)));
}

/// \p text broken into lines of at most \p width, each indented by \p indent.
std::string wrapped(StringRef text, unsigned indent, unsigned width = 80);

} // namespace cclc

#endif // CCL_SUPPORT_TEXT_H
