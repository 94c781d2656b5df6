//===- JsonTree.h - A small JSON file with positions ------------*- C++ -*-===//
//
// Plans of MSCCL++ have tens of operations per threadblock and contain forward references, so the
// file is stored as a tree. The tree is one array, so that deep nesting in a hostile file causes no
// recursion. Every value has its position.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_JSONTREE_H
#define CCL_LIB_MSCCLPP_JSONTREE_H

#include "cclc/Support/Diagnostics.h"

#include <optional>

namespace cclc::mscclpp {

class JsonTree {
public:
  enum class Kind : uint8_t { Null, Bool, Number, NegativeNumber, Fraction, String, Object, Array };
  struct Node {
    Kind kind;
    unsigned line, column;
    uint64_t number = 0;  ///< the value of a number; 1 for true
    std::string key;      ///< the key, in an object
    std::string text;     ///< the value of a string
    uint32_t child = 0;   ///< first child, or 0
    uint32_t sibling = 0; ///< next sibling, or 0
  };

  /// Reports syntax errors and duplicate keys.
  static FailureOr<JsonTree> parse(StringRef text, StringRef fileName, DiagnosticEngine &diags);

  const Node &root() const { return nodes.front(); }
  const Node *firstChild(const Node &node) const { return at(node.child); }
  const Node *nextSibling(const Node &node) const { return at(node.sibling); }
  const Node *find(const Node &object, StringRef key) const;
  Location locate(const Node &node) const { return {file, node.line, node.column}; }

private:
  friend class TreeBuilder;
  const Node *at(uint32_t index) const { return index ? &nodes[index] : nullptr; }

  std::string file;
  std::vector<Node> nodes;
};

/// "a whole number", "a string", ...
const char *describe(JsonTree::Kind kind);

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_JSONTREE_H
