//===- Values.cpp - Table of symbolic sums --------------------------------===//
//
// Until the first run of more than one chunk, a sum is its own entry and no index exists.
// After that the starts of the entries are sorted, and a sum is found by binary search among those
// of its block of sums; the first million blocks are indexed. Expressions are walked with an
// explicit stack, as they may be thousands deep.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/Values.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace cclc;

static constexpr uint32_t sumsPerBlock = 16;

ValueId ValueTable::combine(ValueId lhs, ValueId rhs, WriterId origin, uint32_t length) {
  if (lhs == undefined() || rhs == undefined())
    return undefined();
  if (length > 1 && !hasRuns) {
    hasRuns = true;
    for (uint32_t entry = 0; entry < nodes.size(); ++entry)
      addEntry(firstSum + entry, 1);
  }
  if (hasRuns)
    addEntry(end, length);
  nodes.push_back({lhs, rhs});
  if (withOrigins)
    origins.push_back(origin);
  end += length;
  return ValueId(end - length);
}

ValueId ValueTable::combine(ValueId lhs, ValueId rhs, WriterId origin, uint32_t length,
                            InSwitch part) {
  if (lhs != undefined() && rhs != undefined())
    inSwitch[nodes.size()] = part;
  return combine(lhs, rhs, origin, length);
}

std::optional<ValueTable::InSwitch> ValueTable::partInSwitch(ValueId sum) const {
  auto it = inSwitch.empty() ? inSwitch.end() : inSwitch.find(place(sum).entry);
  return it == inSwitch.end() ? std::nullopt : std::optional(it->second);
}

void ValueTable::addEntry(uint32_t start, uint32_t length) {
  constexpr uint32_t mostBlocks = 1 << 20;
  uint64_t sums = uint64_t(start) - firstSum + length;
  while (entryOfBlock.size() * sumsPerBlock < sums && entryOfBlock.size() < mostBlocks)
    entryOfBlock.push_back(starts.size());
  starts.push_back(start);
}

ValueTable::Place ValueTable::findPlace(ValueId sum) const {
  auto from = starts.begin(), to = starts.end();
  if (uint32_t block = sumNumber(sum) / sumsPerBlock; block < entryOfBlock.size()) {
    from += entryOfBlock[block];
    if (to - from > sumsPerBlock)
      to = from + sumsPerBlock;
  }
  auto next = std::upper_bound(from, to, sum.index());
  uint32_t entry = uint32_t(next - starts.begin()) - 1;
  return {entry, sum.index() - starts[entry]};
}

std::vector<Contribution> ValueTable::contributions(ValueId v, size_t limit) const {
  std::vector<Contribution> result;
  SmallVector<ValueId, 32> stack = {v};
  while (!stack.empty() && result.size() < limit) {
    ValueId top = stack.pop_back_val();
    if (isSum(top)) {
      auto [lhs, rhs] = operands(top);
      stack.push_back(rhs);
      stack.push_back(lhs);
    } else if (isContribution(top)) {
      result.push_back(asContribution(top));
    }
  }
  return result;
}

std::string ValueTable::expression(ValueId v, size_t limit) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Pieces still to print, last first: a value, or a piece of punctuation.
  struct Piece {
    const char *punctuation;
    ValueId value;
  };
  SmallVector<Piece, 32> stack = {{nullptr, v}};
  size_t printed = 0;
  while (!stack.empty()) {
    Piece piece = stack.pop_back_val();
    if (piece.punctuation) {
      os << piece.punctuation;
    } else if (piece.value == undefined()) {
      os << "undefined";
    } else if (printed >= limit) {
      os << "...";
    } else if (isContribution(piece.value)) {
      Contribution c = asContribution(piece.value);
      os << c.rank << ":i[" << c.index << ']';
      ++printed;
    } else {
      std::optional<InSwitch> part = partInSwitch(piece.value);
      os << (!part ? "(" : part->ends ? "{" : "");
      stack.push_back({!part ? ")" : part->ends ? "}" : "", v});
      stack.push_back({nullptr, rhs(piece.value)});
      stack.push_back({" + ", v});
      stack.push_back({nullptr, lhs(piece.value)});
    }
  }
  return text;
}
