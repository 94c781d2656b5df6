//===- JsonEvents.cpp - Reading JSON without a tree -----------------------===//

#include "cclc/Support/Json/JsonEvents.h"

#include "JsonText.h"

#include "cclc/Support/Text.h"
#include "cclc/Support/Watch.h"

using namespace cclc;

namespace {
/// Passes the events of nlohmann's parser on.
class Adapter : public nlohmann::json_sax<nlohmann::json> {
public:
  Adapter(StringRef text, JsonEvents &events) : text(text), events(events) {}

  bool null() override { return events.null(); }
  bool boolean(bool value) override { return events.boolean(value); }
  bool number_integer(number_integer_t) override { return number(), events.negativeNumber(); }
  bool number_unsigned(number_unsigned_t n) override { return number(), events.number(n); }
  bool number_float(number_float_t, const string_t &) override {
    return number(), events.fraction();
  }
  bool string(string_t &text) override { return events.string(text); }
  bool binary(binary_t &) override { llvm_unreachable("JSON has no binary values"); }
  bool key(string_t &name) override { return events.key(name); }
  bool start_object(std::size_t) override {
    Watch::look();
    return events.startObject();
  }
  bool end_object() override { return events.endObject(); }
  bool start_array(std::size_t) override { return events.startArray(); }
  bool end_array() override { return events.endArray(); }
  bool parse_error(std::size_t read, const std::string &,
                   const nlohmann::json::exception &exception) override {
    // Without the character that ended a number.
    events.position.seen = text.begin() + std::min(read, text.size());
    events.syntaxError(jsonMessage(exception.what()));
    return false;
  }

private:
  /// The parser has read one character beyond the end of a number.
  void number() { --events.position.seen; }

  StringRef text;
  JsonEvents &events;
};
} // namespace

bool cclc::readJson(StringRef text, JsonEvents &events) {
  Adapter adapter(text, events);
  TextCursor begin{text.begin(), &events.position.seen}, end{text.end(), &events.position.seen};
  return nlohmann::json::sax_parse(begin, end, &adapter);
}

std::string cclc::jsonQuoted(StringRef text) { return jsonText(nlohmann::json(text.str()), -1); }
