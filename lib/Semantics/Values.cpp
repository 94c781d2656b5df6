#include "cclc/Semantics/Values.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

std::vector<Contribution> ValueTable::contributions(ValueId v, size_t limit) const {
  std::vector<Contribution> result;
  SmallVector<ValueId, 32> stack = {v};
  while (!stack.empty() && result.size() < limit) {
    ValueId top = stack.pop_back_val();
    if (isSum(top)) {
      stack.push_back(rhs(top));
      stack.push_back(lhs(top));
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
      os << '(';
      stack.push_back({")", v});
      stack.push_back({nullptr, rhs(piece.value)});
      stack.push_back({" + ", v});
      stack.push_back({nullptr, lhs(piece.value)});
    }
  }
  return text;
}

namespace {
/// The finaliser of SplitMix64: every input bit changes every output bit.
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
} // namespace

std::vector<uint64_t> ValueTable::hashes() const {
  std::vector<uint64_t> result(size());
  for (uint32_t v = 1; v < firstNode; ++v) {
    Contribution c = asContribution(ValueId(v));
    result[v] = mix((uint64_t(c.rank.index()) << 32 | c.index) + 0x9e3779b97f4a7c15u);
  }
  // Operands are made before the sums that use them.
  for (uint32_t n = 0; n < nodes.size(); ++n)
    result[firstNode + n] =
        mix(3 * result[nodes[n].lhs.index()] + 5 * mix(result[nodes[n].rhs.index()]) + 1);
  return result;
}
