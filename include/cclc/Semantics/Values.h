//===- Values.h - Symbolic values that count contributions ------*- C++ -*-===//
//
// A symbolic value is an expression over the initial chunks of the collective:
// one contribution, or the reduction of two values. Copying data copies the id,
// so a table has one entry per executed reduction and no more. The expression
// keeps operands in order, which is what makes floating-point results equal or
// not; its leaves, counted, are what the post-condition speaks about.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEMANTICS_VALUES_H
#define CCL_SEMANTICS_VALUES_H

#include "cclc/IR/Collective.h"

namespace cclc {

CCL_DEFINE_ID(ValueId, "v");

class ValueTable {
public:
  explicit ValueTable(const Collective &collective)
      : inputChunks(collective.inputChunks()), firstNode(1 + collective.ranks() * inputChunks) {}

  /// What a cell holds that nobody wrote; also any reduction that involves it.
  static ValueId undefined() { return ValueId(0); }
  ValueId contribution(Contribution c) const {
    return ValueId(1 + c.rank.index() * inputChunks + c.index);
  }
  /// \p lhs + \p rhs, computed by the operation or step numbered \p origin.
  ValueId combine(ValueId lhs, ValueId rhs, uint32_t origin) {
    if (lhs == undefined() || rhs == undefined())
      return undefined();
    nodes.push_back({lhs, rhs, origin});
    return ValueId(firstNode + nodes.size() - 1);
  }

  bool isContribution(ValueId v) const { return v != undefined() && v.index() < firstNode; }
  bool isSum(ValueId v) const { return v.index() >= firstNode; }
  Contribution asContribution(ValueId v) const {
    uint32_t leaf = v.index() - 1;
    return {RankId(leaf / inputChunks), leaf % inputChunks};
  }
  ValueId lhs(ValueId sum) const { return nodes[sum.index() - firstNode].lhs; }
  ValueId rhs(ValueId sum) const { return nodes[sum.index() - firstNode].rhs; }
  uint32_t origin(ValueId sum) const { return nodes[sum.index() - firstNode].origin; }
  /// Ids are below this bound.
  uint32_t size() const { return firstNode + nodes.size(); }

  /// The contributions of \p v from left to right, each as often as it occurs,
  /// but no more than \p limit of them.
  std::vector<Contribution> contributions(ValueId v, size_t limit) const;

  /// "((r0:i[3] + r1:i[3]) + r2:i[3])", cut after \p limit contributions.
  std::string expression(ValueId v, size_t limit = 64) const;

  /// A hash of every value's expression, operands in order: equal for equal
  /// expressions over equal contributions, in whatever table they stand.
  std::vector<uint64_t> hashes() const;

private:
  struct Node {
    ValueId lhs, rhs;
    uint32_t origin;
  };
  uint32_t inputChunks;
  uint32_t firstNode;
  std::vector<Node> nodes;
};

} // namespace cclc

#endif // CCL_SEMANTICS_VALUES_H
