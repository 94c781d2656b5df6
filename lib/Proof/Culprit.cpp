//===- Culprit.cpp - The path of a contribution through sums --------------===//
//
// One pass over the sums of the value, operands before sums, counts for each whether it contains
// the contribution once or more often, and whether it contains wanted ones. The path then descends
// from the value: for a repeated contribution to the lowest sum that contains it twice, for a
// foreign one to the contribution itself, by way of the lowest sum whose other operand has a wanted
// contribution. Sums that the expression shares are visited once, so that both are linear in the
// number of sums.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/Culprit.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace cclc;

namespace {
class Contents {
public:
  /// The contents of a value.
  struct Part {
    uint8_t often = 0; ///< occurrences of the contribution: 0, 1, or 2 for more
    bool wanted = false;
  };

  Contents(const ValueTable &values, Contribution chunk, ArrayRef<Contribution> wanted)
      : values(values), chunk(chunk), wanted(wanted) {}

  Part of(ValueId value) {
    SmallVector<ValueId, 32> stack = {value};
    while (!stack.empty()) {
      ValueId top = stack.back();
      if (known.count(top.index())) {
        stack.pop_back();
      } else if (!values.isSum(top)) {
        known[top.index()] = ofLeaf(top);
      } else {
        auto [lhs, rhs] = values.operands(top);
        auto left = known.find(lhs.index()), right = known.find(rhs.index());
        if (left == known.end() || right == known.end()) {
          stack.append({lhs, rhs});
          continue;
        }
        Part sum{uint8_t(std::min(2, left->second.often + right->second.often)),
                 left->second.wanted || right->second.wanted};
        known[top.index()] = sum;
      }
    }
    return known.lookup(value.index());
  }

private:
  Part ofLeaf(ValueId leaf) const {
    if (!values.isContribution(leaf))
      return {};
    Contribution c = values.asContribution(leaf);
    return {uint8_t(c == chunk), std::binary_search(wanted.begin(), wanted.end(), c)};
  }

  const ValueTable &values;
  Contribution chunk;
  ArrayRef<Contribution> wanted;
  llvm::DenseMap<uint32_t, Part> known; ///< by value
};
} // namespace

Culprit cclc::findCulprit(const ValueTable &values, ValueId wrong, Contribution chunk,
                          bool repeated, ArrayRef<Contribution> wanted) {
  Culprit found{chunk, repeated, {wrong}, {}};
  Contents contents(values, chunk, wanted);
  ValueId at = wrong;
  auto descend = [&](ValueId to) { found.path.push_back(at = to); };
  while (repeated && values.isSum(at)) {
    auto [lhs, rhs] = values.operands(at);
    if (contents.of(lhs).often > 1)
      descend(lhs);
    else if (contents.of(rhs).often > 1)
      descend(rhs);
    else
      break;
  }
  if (repeated && values.isSum(at)) {
    found.sum = at;
    descend(values.rhs(at));
  }
  while (values.isSum(at)) {
    auto [lhs, rhs] = values.operands(at);
    bool right = contents.of(rhs).often > 0;
    if (!repeated && contents.of(right ? lhs : rhs).wanted)
      found.sum = at;
    descend(right ? rhs : lhs);
  }
  return found;
}

std::string Culprit::text() const {
  return llvm::formatv("r{0}:i[{1}]", chunk.rank.index(), chunk.index);
}

std::string Culprit::addedHereText() const {
  return text() + " was added here" + (repeated ? " a second time" : "");
}

std::string Culprit::addedText() const {
  return "added " + text() + (repeated ? " a second time" : "");
}
