#include "cclc/Mscclpp/Json.h"

#include "cclc/Support/Json/JsonEvents.h"
#include "cclc/Support/Text.h"

using namespace cclc;

namespace {
/// Reads up to the first key of the outermost object that distinguishes the formats.
class Sniffer : public JsonEvents {
public:
  using JsonEvents::JsonEvents;

  bool found = false;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number(uint64_t) override { return true; }
  bool negativeNumber() override { return true; }
  bool fraction() override { return true; }
  bool string(std::string &) override { return true; }
  bool startObject() override { return ++depth > 0; }
  bool endObject() override { return --depth >= 0; }
  bool startArray() override { return ++depth > 1; }
  bool endArray() override { return --depth >= 0; }
  bool key(std::string &name) override {
    if (depth != 1)
      return true;
    found = name == "gpus";
    return !found && name != "format";
  }
  void syntaxError(StringRef) override {}

private:
  int depth = 0;
};
} // namespace

bool mscclpp::looksLikePlan(StringRef text) {
  text = withoutByteOrderMark(text);
  if (!text.ltrim().starts_with("{"))
    return false;
  Sniffer sniffer(text);
  readJson(text, sniffer);
  return sniffer.found;
}
