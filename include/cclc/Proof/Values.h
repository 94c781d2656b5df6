//===- Values.h - Symbolic values that count contributions ------*- C++ -*-===//
//
// A symbolic value is an expression over the initial chunks of the collective: one contribution, or
// the reduction of two values. Copying data copies the id, so a table has exactly one entry per
// executed reduction. The expression keeps the order of operands, which determines the bits of
// floating-point results. The post-condition is checked against the multiset of its leaves.
//
// The contributions of a rank have successive ids by index, and so have the values that one step
// computes for its chunks, so that a step over a run of chunks is one entry.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_VALUES_H
#define CCL_PROOF_VALUES_H

#include "cclc/IR/Collective.h"
#include "cclc/Proof/ValueIds.h"

#include "llvm/ADT/DenseMap.h"

namespace cclc {

class ValueTable {
public:
  explicit ValueTable(const Collective &collective, bool keepsOrigins = true)
      : inputChunks(collective.inputChunks()), firstSum(1 + collective.ranks() * inputChunks),
        end(firstSum), withOrigins(keepsOrigins) {}

  /// Makes room for \p entries entries.
  void reserve(size_t entries) {
    nodes.reserve(entries);
    if (withOrigins)
      origins.reserve(entries);
  }

  /// The value of an uninitialised cell, and of any reduction that involves one.
  static ValueId undefined() { return ValueId(0); }
  /// The value \p n chunks after \p v in a run.
  static ValueId advanced(ValueId v, uint32_t n) {
    return v == undefined() ? v : ValueId(v.index() + n);
  }
  ValueId contribution(Contribution c) const {
    return ValueId(1 + c.rank.index() * inputChunks + c.index);
  }
  /// \p lhs + \p rhs, computed by \p origin.
  ValueId combine(ValueId lhs, ValueId rhs, WriterId origin) {
    if (lhs == undefined() || rhs == undefined())
      return undefined();
    if (hasRuns)
      addEntry(end, 1);
    nodes.push_back({lhs, rhs});
    if (withOrigins)
      origins.push_back(origin);
    return ValueId(end++);
  }
  /// The same for a run of \p length chunks. Returns the first value.
  ValueId combine(ValueId lhs, ValueId rhs, WriterId origin, uint32_t length);

  /// The reductions of a sum that a switch forms: of its first two operands, then of each further
  /// one. The first \p begins it, and the last \p ends it.
  struct InSwitch {
    bool begins, ends;
  };
  /// The same as combine() for a reduction of such a sum.
  ValueId combine(ValueId lhs, ValueId rhs, WriterId origin, uint32_t length, InSwitch part);
  bool hasSwitchSums() const { return !inSwitch.empty(); }
  /// The part of \p sum in a sum of a switch, if it has one.
  std::optional<InSwitch> partInSwitch(ValueId sum) const;
  bool isContribution(ValueId v) const { return v != undefined() && v.index() < firstSum; }
  bool isSum(ValueId v) const { return v.index() >= firstSum; }
  Contribution asContribution(ValueId v) const {
    uint32_t leaf = v.index() - 1;
    return {RankId(leaf / inputChunks), leaf % inputChunks};
  }
  struct Operands {
    ValueId lhs, rhs;
  };
  Operands operands(ValueId sum) const {
    Place at = place(sum);
    const Node &node = nodes[at.entry];
    return {ValueId(node.lhs.index() + at.offset), ValueId(node.rhs.index() + at.offset)};
  }
  ValueId lhs(ValueId sum) const { return operands(sum).lhs; }
  ValueId rhs(ValueId sum) const { return operands(sum).rhs; }
  bool keepsOrigins() const { return withOrigins; }
  WriterId origin(ValueId sum) const { return origins[place(sum).entry]; }

  /// The number of entries. Sums are stored in entries, operands before the sums that use them.
  size_t numEntries() const { return nodes.size(); }
  /// Successive sums of successive operands.
  struct Entry {
    ValueId lhs, rhs; ///< of the first sum
    uint32_t length;
  };
  Entry entry(uint32_t number) const {
    uint32_t length = 1;
    if (hasRuns)
      length = (number + 1 < nodes.size() ? starts[number + 1] : end) - starts[number];
    return {nodes[number].lhs, nodes[number].rhs, length};
  }
  /// The location of a sum: its entry, and its number in the run of that entry.
  struct Place {
    uint32_t entry, offset;
  };
  Place place(ValueId sum) const {
    return hasRuns ? findPlace(sum) : Place{sum.index() - firstSum, 0};
  }
  /// The number of sums, which are numbered in the order of their ids.
  uint32_t numSums() const { return end - firstSum; }
  ValueId lastId() const { return ValueId(end - 1); }
  uint32_t sumNumber(ValueId sum) const { return sum.index() - firstSum; }
  /// Calls fn(lhs, rhs) for every sum, ascending.
  template <class Fn> void forSums(Fn fn) const {
    for (uint32_t number = 0; number < nodes.size(); ++number) {
      Entry run = entry(number);
      for (uint32_t i = 0; i < run.length; ++i)
        fn(ValueId(run.lhs.index() + i), ValueId(run.rhs.index() + i));
    }
  }

  /// The contributions of \p v from left to right, with repetitions, up to \p limit of them.
  std::vector<Contribution> contributions(ValueId v, size_t limit) const;

  /// "((r0:i[3] + r1:i[3]) + r2:i[3])", or "{r0:i[3] + r1:i[3] + r2:i[3]}" for the sum of a switch,
  /// truncated after \p limit contributions.
  std::string expression(ValueId v, size_t limit = 64) const;

private:
  Place findPlace(ValueId sum) const;
  void addEntry(uint32_t start, uint32_t length);

  struct Node {
    ValueId lhs, rhs;
  };
  uint32_t inputChunks;
  uint32_t firstSum;
  uint32_t end; ///< ids are below this bound
  std::vector<Node> nodes;
  bool withOrigins;
  std::vector<WriterId> origins;               ///< by entry, if they are kept
  llvm::DenseMap<uint32_t, InSwitch> inSwitch; ///< by entry
  bool hasRuns = false;
  /// The entry of the first sum of each block, for the first blocks, so that megabytes suffice.
  std::vector<uint32_t> entryOfBlock;
  std::vector<uint32_t> starts; ///< by entry: the id of its first sum; empty without runs
};

} // namespace cclc

#endif // CCL_PROOF_VALUES_H
