//===- ValueHashes.cpp - Hashes by table or in blocks ---------------------===//
//
// The hash of a sum is computed from those of its operands, as in a Merkle tree, with the finaliser
// of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) as mixing function. If the table has few sums,
// or few for each entry, all are hashed at once in the order of their ids. Otherwise the expression
// of the first value of a run is listed, operands first, and evaluated for blocks of chunks that
// fit into the cache; the hashes of a run of sums are cached.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/ValueHashes.h"

#include "cclc/Support/MixBits.h"

#include <algorithm>

using namespace cclc;

static uint64_t hashOf(Contribution c) {
  return mixBits((uint64_t(c.rank.index()) << 32 | c.index) + goldenBits);
}

static uint64_t hashOfSum(uint64_t lhs, uint64_t rhs) {
  return mixBits(3 * lhs + 5 * mixBits(rhs) + 1);
}

/// Of a sum in a switch: the operands commute. Until the last one, the sum of their hashes.
static uint64_t hashOfSum(uint64_t lhs, uint64_t rhs, ValueTable::InSwitch part) {
  uint64_t all = (part.begins ? mixBits(lhs + 2) : lhs) + mixBits(rhs + 2);
  return part.ends ? mixBits(all ^ 0xd1b54a32d192ed03u) : all;
}

inline uint64_t ValueHashes::known(ValueId v) const {
  if (values.isSum(v))
    return (*sums)[values.sumNumber(v)];
  return v == ValueTable::undefined() ? 0 : hashOf(values.asContribution(v));
}

ValueHashes::ValueHashes(const ValueTable &values) : values(values) {
  if (values.numSums() > std::max<size_t>(1 << 20, 4 * values.numEntries()))
    return;
  sums.emplace(values.numSums());
  // Operands come before the sums that use them.
  uint64_t *next = sums->data();
  if (!values.hasSwitchSums()) {
    values.forSums([&](ValueId lhs, ValueId rhs) { *next++ = hashOfSum(known(lhs), known(rhs)); });
    return;
  }
  for (uint32_t id = values.lastId().index() + 1 - values.numSums();
       next != sums->data() + sums->size(); ++id) {
    auto [lhs, rhs] = values.operands(ValueId(id));
    std::optional<ValueTable::InSwitch> part = values.partInSwitch(ValueId(id));
    *next++ = part ? hashOfSum(known(lhs), known(rhs), *part) : hashOfSum(known(lhs), known(rhs));
  }
}

uint64_t ValueHashes::of(ValueId v) {
  if (sums)
    return known(v);
  uint64_t hash = 0;
  forBlocks({v, 1}, [&](ArrayRef<uint64_t> block) { hash = block.front(); });
  return hash;
}

/// Lists the nodes of the expression \p root, operands first.
void ValueHashes::collect(ValueId root) {
  terms.clear();
  termOf.clear();
  SmallVector<ValueId, 32> stack = {root};
  while (!stack.empty()) {
    ValueId top = stack.back();
    if (termOf.count(top.index())) {
      stack.pop_back();
      continue;
    }
    Term term{top};
    if (values.isSum(top)) {
      auto [lhs, rhs] = values.operands(top);
      auto left = termOf.find(lhs.index()), right = termOf.find(rhs.index());
      if (left == termOf.end() || right == termOf.end()) {
        stack.push_back(rhs);
        stack.push_back(lhs);
        continue;
      }
      term.lhs = left->second;
      term.rhs = right->second;
    }
    termOf[top.index()] = terms.size();
    terms.push_back(term);
    stack.pop_back();
  }
}

void ValueHashes::evaluate(ValueRun run, llvm::function_ref<void(ArrayRef<uint64_t>)> fn) {
  collect(run.first);
  // Evaluate all terms for one block of chunks after the other; a block fits into the cache.
  uint32_t width = std::clamp<size_t>((1 << 17) / terms.size(), 1, 1024);
  std::vector<uint64_t> hashes(terms.size() * std::min(width, run.length));
  for (uint32_t begin = 0; begin < run.length; begin += width) {
    uint32_t n = std::min(width, run.length - begin);
    for (size_t t = 0; t < terms.size(); ++t) {
      uint64_t *at = hashes.data() + t * n;
      if (!values.isSum(terms[t].value)) {
        Contribution c = values.asContribution(ValueTable::advanced(terms[t].value, begin));
        for (uint32_t i = 0; i < n; ++i)
          at[i] = hashOf({c.rank, c.index + i});
        continue;
      }
      const uint64_t *lhs = hashes.data() + size_t(terms[t].lhs) * n;
      const uint64_t *rhs = hashes.data() + size_t(terms[t].rhs) * n;
      std::optional<ValueTable::InSwitch> part = values.partInSwitch(terms[t].value);
      for (uint32_t i = 0; i < n; ++i)
        at[i] = part ? hashOfSum(lhs[i], rhs[i], *part) : hashOfSum(lhs[i], rhs[i]);
    }
    fn(ArrayRef(hashes).slice((terms.size() - 1) * n, n));
  }
}

void ValueHashes::forBlocks(ValueRun run, llvm::function_ref<void(ArrayRef<uint64_t>)> fn) {
  constexpr size_t blockSize = 256, mostKept = size_t(1) << 23;
  if (run.first == ValueTable::undefined()) {
    const uint64_t zeros[blockSize] = {};
    for (uint32_t at = 0; at < run.length; at += blockSize)
      fn(ArrayRef(zeros).take_front(std::min<size_t>(blockSize, run.length - at)));
    return;
  }
  if (sums && values.isSum(run.first))
    return fn(ArrayRef(*sums).slice(values.sumNumber(run.first), run.length));
  if (!values.isSum(run.first) || pool.size() + run.length > mostKept)
    return evaluate(run, fn);
  auto [it, added] = kept.try_emplace({run.first.index(), run.length}, pool.size());
  if (added)
    evaluate(run, [&](ArrayRef<uint64_t> block) {
      pool.insert(pool.end(), block.begin(), block.end());
    });
  fn(ArrayRef(pool).slice(it->second, run.length));
}
