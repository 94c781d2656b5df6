//===- JsonTree.cpp - JSON events to an array of nodes --------------------===//
//
// nlohmann's SAX parser calls back for every value; nodes go to one array, with their first
// child and next sibling as indices, which is enough to walk it. Line and column come from
// the cursor that the parser reads through. Duplicate keys are errors.
//
//===----------------------------------------------------------------------===//

#include "JsonTree.h"

#include "cclc/Support/Text.h"
#include "cclc/Support/TextCursor.h"

#include "llvm/ADT/StringSet.h"

#include <nlohmann/json.hpp>

using namespace cclc;
using namespace cclc::mscclpp;

namespace cclc::mscclpp {
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
public:
  TreeBuilder(StringRef text, StringRef fileName, DiagnosticEngine &diags)
      : position(text), diags(diags) {
    tree.file = fileName.str();
  }

  TextPosition position;
  JsonTree tree;

  bool null() override { return add(Kind::Null); }
  bool boolean(bool value) override { return add(Kind::Bool, value); }
  // The parser has read one character beyond the end of a number.
  bool number_integer(number_integer_t) override { return addNumber(Kind::NegativeNumber, 0); }
  bool number_unsigned(number_unsigned_t n) override { return addNumber(Kind::Number, n); }
  bool number_float(number_float_t, const string_t &) override {
    return addNumber(Kind::Fraction, 0);
  }
  bool string(string_t &text) override {
    add(Kind::String);
    tree.nodes.back().text = std::move(text);
    return true;
  }
  bool binary(binary_t &) override { return add(Kind::Null); }
  bool start_object(std::size_t) override { return open(Kind::Object); }
  bool start_array(std::size_t) override { return open(Kind::Array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &name) override {
    if (!stack.back().keys.insert(name).second) {
      diags.error(here(), "duplicate key '" + name + "'");
      return false;
    }
    nextKey = std::move(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string &,
                   const nlohmann::json::exception &exception) override {
    diags.error(here(), jsonMessage(exception.what()));
    return false;
  }

private:
  using Kind = JsonTree::Kind;
  struct Frame {
    uint32_t node;
    uint32_t last = 0; ///< the last child
    llvm::StringSet<> keys;
  };

  Location here() { return {tree.file, position.line(), position.column()}; }

  bool add(Kind kind, uint64_t number = 0) {
    uint32_t index = tree.nodes.size();
    tree.nodes.push_back(
        {kind, position.line(), position.column(), number, std::move(nextKey), {}, 0, 0});
    nextKey.clear();
    if (!stack.empty()) {
      Frame &frame = stack.back();
      (frame.last ? tree.nodes[frame.last].sibling : tree.nodes[frame.node].child) = index;
      frame.last = index;
    }
    return true;
  }
  bool addNumber(Kind kind, uint64_t number) {
    --position.seen;
    return add(kind, number);
  }
  bool open(Kind kind) {
    add(kind);
    stack.push_back({uint32_t(tree.nodes.size() - 1), 0, {}});
    return true;
  }
  bool close() {
    stack.pop_back();
    return true;
  }

  DiagnosticEngine &diags;
  std::vector<Frame> stack;
  std::string nextKey;
};
} // namespace cclc::mscclpp

FailureOr<JsonTree> JsonTree::parse(StringRef text, StringRef fileName, DiagnosticEngine &diags) {
  TreeBuilder builder(text, fileName, diags);
  TextCursor begin{text.begin(), &builder.position.seen}, end{text.end(), &builder.position.seen};
  if (!nlohmann::json::sax_parse(begin, end, &builder))
    return failure();
  return std::move(builder.tree);
}

const JsonTree::Node *JsonTree::find(const Node &object, StringRef key) const {
  for (const Node *child = firstChild(object); child; child = nextSibling(*child))
    if (child->key == key)
      return child;
  return nullptr;
}

const char *mscclpp::describe(JsonTree::Kind kind) {
  switch (kind) {
  case JsonTree::Kind::Null:
    return "null";
  case JsonTree::Kind::Bool:
    return "true or false";
  case JsonTree::Kind::Number:
    return "a whole number";
  case JsonTree::Kind::NegativeNumber:
    return "a negative number";
  case JsonTree::Kind::Fraction:
    return "a number that is not whole";
  case JsonTree::Kind::String:
    return "a string";
  case JsonTree::Kind::Object:
    return "an object";
  case JsonTree::Kind::Array:
    return "an array";
  }
  llvm_unreachable("unknown kind");
}
