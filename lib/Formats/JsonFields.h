//===- JsonFields.h - Fields of JSON documents ------------------*- C++ -*-===//
//
// What readers of JSON files have in common. Counts must be whole numbers of their range, because a
// conversion would change others silently.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_FORMATS_JSONFIELDS_H
#define CCL_LIB_FORMATS_JSONFIELDS_H

#include "JsonText.h"

#include "cclc/IR/CollectiveKind.h"
#include "cclc/Support/Diagnostics.h"

#include "llvm/Support/FormatVariadic.h"

#include <limits>
#include <optional>

namespace cclc {

using JsonValue = nlohmann::json;

/// The text of the first error; nlohmann/json throws its own.
struct Unreadable {
  std::string text;
};

template <class T> T countOf(const JsonValue &object, const char *key) {
  const JsonValue &value = object.at(key);
  if (!value.is_number_unsigned() || value.get<uint64_t>() > std::numeric_limits<T>::max())
    throw Unreadable{llvm::formatv("'{0}' must be a whole number from 0 to {1}", key,
                                   std::numeric_limits<T>::max())};
  return T(value.get<uint64_t>());
}

inline bool isGiven(const JsonValue &object, const char *key) {
  return object.contains(key) && !object[key].is_null();
}

template <class T> std::optional<T> countIfGiven(const JsonValue &object, const char *key) {
  if (!isGiven(object, key))
    return std::nullopt;
  return countOf<T>(object, key);
}

inline CollectiveKind collectiveOf(const JsonValue &object) {
  std::string name = object.at("collective");
  std::optional<CollectiveKind> kind = parseCollective(name);
  if (!kind)
    throw Unreadable{llvm::formatv("unknown collective '{0}'", name)};
  return *kind;
}

/// Calls \p read(document, where) for the JSON of \p text, and reports its first error in \p path;
/// \p where is what it sets before it reads a part, such as "rows[2]: ".
template <class Read>
LogicalResult readFields(StringRef text, const std::string &path, DiagnosticEngine &diags,
                         Read read) {
  TextPosition position(text);
  std::string where;
  try {
    read(parseJson(text, position), where);
  } catch (const JsonValue::parse_error &error) {
    return diags.error({path, position.line(), position.column()}, jsonMessage(error.what()));
  } catch (const JsonValue::exception &error) {
    return diags.error({path}, where + jsonMessage(error.what()));
  } catch (const Unreadable &error) {
    return diags.error({path}, where + error.text);
  }
  return success();
}

} // namespace cclc

#endif // CCL_LIB_FORMATS_JSONFIELDS_H
