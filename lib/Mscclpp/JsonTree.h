//===- JsonTree.h - A small JSON file with positions ------------*- C++ -*-===//
//
// Plans of MSCCL++ have tens of operations a threadblock and refer forwards, so
// the file is kept as a tree, in one array: nothing recurses over what a hostile
// file nests. Every value knows where it stands.
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
    uint64_t number = 0;  ///< or 1 for true
    std::string key;      ///< in an object
    std::string text;     ///< of a string
    uint32_t child = 0;   ///< first one, none: 0
    uint32_t sibling = 0; ///< next one, none: 0
  };

  /// Reports what is no JSON, and keys that stand twice.
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
