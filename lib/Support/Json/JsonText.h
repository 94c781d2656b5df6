//===- JsonText.h - Values of nlohmann/json and their text ------*- C++ -*-===//
//
// Each use of nlohmann's parser and serializer is compiled anew; that of these functions once.
// Sources of libraries and tools that depend on Json include this header; headers of include/ do
// not.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SUPPORT_JSON_JSONTEXT_H
#define CCL_LIB_SUPPORT_JSON_JSONTEXT_H

#include "cclc/Support/TextCursor.h"

#include <nlohmann/json.hpp>

namespace cclc {

/// The text of a value, with \p indent spaces for each level, or in one line if it is negative.
/// Invalid UTF-8 is replaced.
std::string jsonText(const nlohmann::json &value, int indent = 2);
std::string jsonText(const nlohmann::ordered_json &value, int indent = 2);

/// The value of a text. Throws nlohmann's parse_error; \p position is that of the error.
nlohmann::json parseJson(StringRef text, TextPosition &position);
nlohmann::json parseJson(StringRef text);
/// The same, with objects in the order of the text.
nlohmann::ordered_json parseOrderedJson(StringRef text);

/// The message of an exception of nlohmann/json without the name of the exception and the position
/// that it begins with: "syntax error while parsing value - ...".
StringRef jsonMessage(StringRef what);

} // namespace cclc

#endif // CCL_LIB_SUPPORT_JSON_JSONTEXT_H
