//===- JsonNode.h - A small JSON text with its positions --------*- C++ -*-===//

#ifndef CCL_LIB_FORMATS_SELECTION_JSONNODE_H
#define CCL_LIB_FORMATS_SELECTION_JSONNODE_H

#include "cclc/Support/Diagnostics.h"

#include <optional>

namespace cclc {

/// A value of JSON; that of an object has its key.
struct JsonNode {
  enum class Kind : uint8_t { Object, Array, Number, Text, Other } kind;
  std::string key = {};
  std::string text = {}; ///< of Text
  uint64_t number = 0;   ///< of Number; values below 0, fractions and too large ones are Other
  Location loc = {};     ///< the end of the key, or of the value in an array
  std::vector<JsonNode> children = {};

  bool isObject() const { return kind == Kind::Object; }
  bool isArray() const { return kind == Kind::Array; }
  /// The member with this key; null: there is none.
  const JsonNode *find(StringRef name) const;
};

/// Reads a text whose objects have no key twice, and that nests at most 100 levels.
FailureOr<JsonNode> readJsonNode(StringRef text, const std::string &path, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_FORMATS_SELECTION_JSONNODE_H
