//===- PostCondition.h - Comparing values with expectations -----*- C++ -*-===//

#ifndef CCL_PROOF_POSTCONDITION_H
#define CCL_PROOF_POSTCONDITION_H

#include "cclc/Proof/Concatenations.h"
#include "cclc/Proof/Culprit.h"
#include "cclc/Proof/SummedRanks.h"

#include <algorithm>
#include <map>
#include <optional>

namespace cclc {

/// Compares symbolic values with the expectations of a collective, counting every contribution. The
/// comparison is exact and uses no hashes. Successive cells with the same value and expectation are
/// checked by one expansion, such as the R copies of the result of an all-reduce.
class PostCondition {
public:
  PostCondition(const Collective &collective, const ValueTable &values);

  /// Whether all ranks expect the same values.
  static bool isSameForAllRanks(const Collective &collective);

  /// Whether \p value is the expected value of output cell \p index of \p rank.
  bool holds(RankId rank, uint32_t index, ValueId value);

  /// The same for the cells from \p index on with the values \p run: calls fn(index, count, holds)
  /// for each part with a uniform answer.
  template <class Fn> void forRuns(RankId rank, uint32_t index, ValueRun run, Fn fn) {
    if (run.length == 1)
      return fn(index, 1, holds(rank, index, run.first));
    for (uint32_t at = 0; at < run.length;) {
      ValueId value = ValueTable::advanced(run.first, at);
      uint32_t count = std::min(run.length - at, alike(rank, index + at, value));
      fn(index + at, count, holds(rank, index + at, value));
      at += count;
    }
  }

  /// The same for a run that may be a range of a concatenation in \p joined.
  template <class Fn>
  void forRanges(RankId rank, uint32_t index, ValueRun run, const Concatenations &joined, Fn fn) {
    if (!joined.contains(run.first))
      return forRuns(rank, index, run, fn);
    if (isKnown(index, run))
      return fn(index, run.length, true);
    bool all = true;
    uint32_t at = index;
    for (ValueRun part : joined.resolve(run)) {
      forRuns(rank, at, part, [&](uint32_t begin, uint32_t count, bool holds) {
        all &= holds;
        fn(begin, count, holds);
      });
      at += part.length;
    }
    if (all && isSameForAllRanks(collective))
      lastRange.insert_or_assign(index, run);
  }

  /// An error text for a value that does not hold: "expected ..., but ...".
  std::string explain(RankId rank, uint32_t index, ValueId value) const;

  /// The contribution that makes a value that does not hold wrong: the first that it must not
  /// contain, else the first that it contains more than once. None if contributions are missing
  /// only.
  std::optional<Culprit> culprit(RankId rank, uint32_t index, ValueId value) const;

private:
  /// Whether \p value is the reduction over the first \p ranks of chunk \p index.
  bool isSumOver(uint32_t ranks, ValueId value, uint32_t index);
  /// The number of cells from \p index on, with \p value and its successors, for which the answer
  /// is the same.
  uint32_t alike(RankId rank, uint32_t index, ValueId value) const;
  bool isKnown(uint32_t index, ValueRun run) const {
    auto it = lastRange.find(index);
    return it != lastRange.end() && it->second.first == run.first &&
           it->second.length >= run.length;
  }
  std::vector<Contribution> wanted(const Expectation &expectation) const;
  /// The contributions of a value that does not hold, compared with the wanted ones, each
  /// ascending.
  struct Differences {
    std::vector<Contribution> missing, repeated, foreign;
  };
  Differences compare(ArrayRef<Contribution> wanted, ValueId value) const;

  const Collective &collective;
  const ValueTable &values;
  /// By index, in an all-reduce, where all ranks expect the same sums: the value that was last
  /// found to be the expected one. Most ranks have the same values.
  std::vector<ValueId> lastSum;
  /// By index, if all ranks expect the same values: the range of a concatenation that was last
  /// found to hold from there on.
  std::map<uint32_t, ValueRun> lastRange;
  /// Used if it takes less time than expansions.
  std::optional<SummedRanks> summed;
  /// By entry of the table: the index and the ranks of the expected sum that its first value was
  /// last found to equal. Few entries are expanded.
  llvm::DenseMap<uint32_t, std::pair<uint32_t, uint32_t>> sumOf;
  /// By rank: the number of the last expansion that visited the rank.
  std::vector<uint64_t> met;
  uint64_t expansion = 0;
};

} // namespace cclc

#endif // CCL_PROOF_POSTCONDITION_H
