//===- Fields.h - Checked access to a JSON tree -----------------*- C++ -*-===//
//
// Functions common to the parts of the reader. A file with a valid feature that is not supported is
// still read to the end, because structural errors take precedence.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_FIELDS_H
#define CCL_LIB_MSCCLPP_FIELDS_H

#include "JsonTree.h"

#include "cclc/IR/CellSpace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

namespace cclc::mscclpp {

class Fields {
public:
  using Kind = JsonTree::Kind;
  using Node = JsonTree::Node;

  Fields(const JsonTree &tree, StringRef fileName, DiagnosticEngine &diags)
      : tree(tree), fileName(fileName), diags(diags) {}

  DiagnosticEngine::InFlight error(const Node &node, const llvm::Twine &text) {
    return diags.error(tree.locate(node), text);
  }
  static std::string nameOf(const Node &node) {
    return node.key.empty() ? "this element" : "'" + node.key + "'";
  }

  LogicalResult expect(const Node &node, Kind kind) {
    if (node.kind == kind)
      return success();
    return error(node, nameOf(node) + " takes " + describe(kind) + ", not " + describe(node.kind));
  }
  /// Checks for an object with the keys \p required and optionally those of \p optional. The
  /// executor ignores others: each name is reported once.
  LogicalResult expectObject(const Node &node, ArrayRef<StringRef> required,
                             ArrayRef<StringRef> optional = {}) {
    if (failed(expect(node, Kind::Object)))
      return failure();
    for (const Node *child = tree.firstChild(node); child; child = tree.nextSibling(*child))
      if (!llvm::is_contained(required, child->key) && !llvm::is_contained(optional, child->key))
        if (unknownKeys.insert(child->key).second)
          diags.warning(tree.locate(*child), "key '" + child->key + "' is unknown and ignored");
    for (StringRef key : required)
      if (!tree.find(node, key))
        return error(node, "'" + key + "' is missing");
    return success();
  }

  LogicalResult number(const Node &node, uint64_t &place, uint64_t limit = ~uint64_t(0)) {
    if (failed(expect(node, Kind::Number)))
      return failure();
    if (node.number > limit)
      return error(node, llvm::formatv("{0}: {1} exceeds the limit of {2}", nameOf(node),
                                       node.number, limit));
    place = node.number;
    return success();
  }
  LogicalResult number(const Node &node, uint32_t &place, uint32_t limit = Operand::maxIndex) {
    uint64_t value = 0;
    if (failed(number(node, value, limit)))
      return failure();
    place = value;
    return success();
  }
  LogicalResult text(const Node &node, std::string &place) {
    if (failed(expect(node, Kind::String)))
      return failure();
    place = node.text;
    return success();
  }
  LogicalResult boolean(const Node &node, bool &place) {
    if (failed(expect(node, Kind::Bool)))
      return failure();
    place = node.number;
    return success();
  }
  /// Reads the value of an optional key.
  template <class T> LogicalResult optionally(const Node &object, StringRef key, T &place) {
    const Node *node = tree.find(object, key);
    if (!node)
      return success();
    if constexpr (std::is_same_v<T, bool>)
      return boolean(*node, place);
    else
      return number(*node, place);
  }
  /// Calls fn(element) for the elements of an optional array.
  template <class Fn> LogicalResult each(const Node &object, StringRef key, Fn fn) {
    const Node *array = tree.find(object, key);
    if (!array)
      return success();
    if (failed(expect(*array, Kind::Array)))
      return failure();
    for (const Node *element = tree.firstChild(*array); element;
         element = tree.nextSibling(*element))
      if (failed(fn(*element)))
        return failure();
    return success();
  }
  LogicalResult numbers(const Node &object, StringRef key, std::vector<uint32_t> &places) {
    return each(object, key,
                [&](const Node &element) { return number(element, places.emplace_back()); });
  }
  LogicalResult buffer(const Node &node, Buffer &place) {
    if (failed(expect(node, Kind::String)))
      return failure();
    std::optional<Buffer> parsed = parseBuffer(node.text);
    if (!parsed)
      return error(node, "unknown buffer '" + node.text + "', known are i, o and s");
    place = *parsed;
    return success();
  }

  /// Records that \p feature is valid but not supported, once for each feature.
  void unsupported(const Node &node, std::string feature) {
    for (const auto &[loc, known] : missing)
      if (known == feature)
        return;
    missing.push_back({tree.locate(node), std::move(feature)});
  }
  bool isSupported() const { return missing.empty(); }
  /// Reports an error for each unsupported feature.
  void reportUnsupported() {
    for (const auto &[loc, feature] : missing)
      diags.error(loc, feature);
  }

  const JsonTree &tree;
  StringRef fileName;
  DiagnosticEngine &diags;

private:
  std::vector<std::pair<Location, std::string>> missing;
  std::set<std::string> unknownKeys;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_FIELDS_H
