//===- JsonTree.cpp - JSON events to an array of nodes --------------------===//
//
// Nodes go to one array, with their first child and next sibling as indices, which is enough to
// walk it. Duplicate keys are errors.
//
//===----------------------------------------------------------------------===//

#include "JsonTree.h"

#include "cclc/Support/Json/JsonEvents.h"

#include "llvm/ADT/StringSet.h"

namespace cclc::mscclpp {

class TreeBuilder : public JsonEvents {
public:
  TreeBuilder(StringRef text, StringRef fileName, DiagnosticEngine &diags)
      : JsonEvents(text), diags(diags) {
    tree.file = fileName.str();
  }

  JsonTree tree;

  bool null() override { return add(Kind::Null); }
  bool boolean(bool value) override { return add(Kind::Bool, value); }
  bool number(uint64_t value) override { return add(Kind::Number, value); }
  bool negativeNumber() override { return add(Kind::NegativeNumber); }
  bool fraction() override { return add(Kind::Fraction); }
  bool string(std::string &text) override {
    add(Kind::String);
    tree.nodes.back().text = std::move(text);
    return true;
  }
  bool startObject() override { return open(Kind::Object); }
  bool startArray() override { return open(Kind::Array); }
  bool endObject() override { return close(); }
  bool endArray() override { return close(); }
  bool key(std::string &name) override {
    if (!stack.back().keys.insert(name).second) {
      diags.error(here(), "duplicate key '" + name + "'");
      return false;
    }
    nextKey = std::move(name);
    return true;
  }
  void syntaxError(StringRef message) override { diags.error(here(), message); }

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

FailureOr<JsonTree> JsonTree::parse(StringRef text, StringRef fileName, DiagnosticEngine &diags) {
  TreeBuilder builder(text, fileName, diags);
  if (!readJson(text, builder))
    return failure();
  return std::move(builder.tree);
}

const JsonTree::Node *JsonTree::find(const Node &object, StringRef key) const {
  for (const Node *child = firstChild(object); child; child = nextSibling(*child))
    if (child->key == key)
      return child;
  return nullptr;
}

const char *describe(JsonTree::Kind kind) {
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

} // namespace cclc::mscclpp
