//===- JsonNode.cpp - A small JSON text with its positions ----------------===//
//
// Open values are on a stack: each is moved into the one around it when it ends.
//
//===----------------------------------------------------------------------===//

#include "JsonNode.h"

#include "cclc/Support/Json/JsonEvents.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

const JsonNode *JsonNode::find(StringRef name) const {
  auto found = llvm::find_if(children, [&](const JsonNode &child) { return child.key == name; });
  return found == children.end() ? nullptr : &*found;
}

namespace {
class NodeBuilder final : public JsonEvents {
public:
  NodeBuilder(StringRef text, const std::string &path, DiagnosticEngine &diags)
      : JsonEvents(text), path(path), diags(diags) {}

  bool null() override { return add(JsonNode::Kind::Other); }
  bool boolean(bool) override { return add(JsonNode::Kind::Other); }
  bool negativeNumber() override { return add(JsonNode::Kind::Other); }
  bool fraction() override { return add(JsonNode::Kind::Other); }
  bool number(uint64_t value) override {
    return add(JsonNode::Kind::Number, [&](JsonNode &node) { node.number = value; });
  }
  bool string(std::string &text) override {
    return add(JsonNode::Kind::Text, [&](JsonNode &node) { node.text = text; });
  }
  bool key(std::string &name) override {
    if (!keys.back().insert(name).second)
      return reject(formatv("the key '{0}' is a duplicate: the runtime uses one of both", name));
    nextKey = name;
    keyAt = here();
    return true;
  }
  bool startObject() override { return begin(JsonNode::Kind::Object); }
  bool startArray() override { return begin(JsonNode::Kind::Array); }
  bool endObject() override { return end(); }
  bool endArray() override { return end(); }
  void syntaxError(StringRef message) override { reject(message); }

  std::optional<JsonNode> root;

private:
  Location here() { return {path, position.line(), position.column()}; }
  bool reject(const llvm::Twine &text) {
    diags.error(here(), text);
    return false;
  }

  JsonNode create(JsonNode::Kind kind) {
    const bool hasKey = !open.empty() && open.back().isObject();
    JsonNode node{.kind = kind, .loc = hasKey ? keyAt : here()};
    if (hasKey)
      node.key = std::exchange(nextKey, "");
    return node;
  }
  template <class Fill> bool add(JsonNode::Kind kind, Fill fill) {
    JsonNode node = create(kind);
    fill(node);
    return place(std::move(node));
  }
  bool add(JsonNode::Kind kind) { return place(create(kind)); }

  bool place(JsonNode node) {
    if (open.empty())
      root = std::move(node);
    else
      open.back().children.push_back(std::move(node));
    return true;
  }
  bool begin(JsonNode::Kind kind) {
    constexpr size_t mostLevels = 100;
    if (open.size() == mostLevels)
      return reject(formatv("the text nests more than {0} levels", mostLevels));
    open.push_back(create(kind));
    keys.emplace_back();
    return true;
  }
  bool end() {
    JsonNode node = std::move(open.back());
    open.pop_back();
    keys.pop_back();
    return place(std::move(node));
  }

  const std::string &path;
  DiagnosticEngine &diags;
  std::vector<JsonNode> open;
  std::vector<llvm::StringSet<>> keys; ///< of the open objects
  std::string nextKey;
  Location keyAt;
};
} // namespace

FailureOr<JsonNode> cclc::readJsonNode(StringRef text, const std::string &path,
                                       DiagnosticEngine &diags) {
  NodeBuilder builder(text, path, diags);
  if (!readJson(text, builder) || !builder.root)
    return failure();
  return std::move(*builder.root);
}
