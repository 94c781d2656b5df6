#include "cclc/Mscclpp/Json.h"

#include "cclc/Support/Text.h"

#include <nlohmann/json.hpp>

using namespace cclc;

namespace {
/// Reads up to the first key of the outermost object that distinguishes the formats.
class Sniffer : public nlohmann::json_sax<nlohmann::json> {
public:
  bool found = false;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(std::size_t) override { return ++depth > 0; }
  bool end_object() override { return --depth >= 0; }
  bool start_array(std::size_t) override { return ++depth > 1; }
  bool end_array() override { return --depth >= 0; }
  bool key(string_t &name) override {
    if (depth != 1)
      return true;
    found = name == "gpus";
    return !found && name != "format";
  }
  bool parse_error(std::size_t, const std::string &, const nlohmann::json::exception &) override {
    return false;
  }

private:
  int depth = 0;
};
} // namespace

bool mscclpp::looksLikePlan(StringRef text) {
  text = withoutByteOrderMark(text);
  if (!text.ltrim().starts_with("{"))
    return false;
  Sniffer sniffer;
  nlohmann::json::sax_parse(text.begin(), text.end(), &sniffer);
  return sniffer.found;
}
