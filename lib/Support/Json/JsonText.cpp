//===- JsonText.cpp - Values of nlohmann/json and their text --------------===//

#include "JsonText.h"

using namespace cclc;

template <class Json> static std::string text(const Json &value, int indent) {
  return value.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

std::string cclc::jsonText(const nlohmann::json &value, int indent) { return text(value, indent); }
std::string cclc::jsonText(const nlohmann::ordered_json &value, int indent) {
  return text(value, indent);
}

template <class Json> static Json parsed(StringRef text, TextPosition &position) {
  TextCursor begin{text.begin(), &position.seen}, end{text.end(), &position.seen};
  return Json::parse(begin, end);
}

nlohmann::json cclc::parseJson(StringRef text, TextPosition &position) {
  return parsed<nlohmann::json>(text, position);
}
nlohmann::json cclc::parseJson(StringRef text) {
  TextPosition position(text);
  return parseJson(text, position);
}
nlohmann::ordered_json cclc::parseOrderedJson(StringRef text) {
  TextPosition position(text);
  return parsed<nlohmann::ordered_json>(text, position);
}

StringRef cclc::jsonMessage(StringRef what) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ..."
  if (what.starts_with("["))
    what = what.split("] ").second;
  return what.starts_with("parse error") ? what.split(": ").second : what;
}
