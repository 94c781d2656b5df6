//===- PostCondition.h - Comparing values with expectations -----*- C++ -*-===//

#ifndef CCL_SEMANTICS_POSTCONDITION_H
#define CCL_SEMANTICS_POSTCONDITION_H

#include "cclc/Semantics/Values.h"

#include <algorithm>
#include <optional>

namespace cclc {

/// Compares symbolic values with the expectations of a collective, counting every contribution. The
/// comparison is exact and uses no hashes. Successive cells with the same value and expectation are
/// checked by one expansion, such as the R copies of the result of an all-reduce.
class PostCondition {
public:
  PostCondition(const Collective &collective, const ValueTable &values);

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

  /// An error text for a value that does not hold: "expected ..., but ...".
  std::string explain(RankId rank, uint32_t index, ValueId value) const;

private:
  bool isSumOverAllRanks(ValueId value, uint32_t index);
  /// The number of cells from \p index on, with \p value and its successors, for which the answer
  /// is the same.
  uint32_t alike(RankId rank, uint32_t index, ValueId value) const;
  std::vector<Contribution> wanted(const Expectation &expectation) const;

  const Collective &collective;
  const ValueTable &values;
  /// By index, in an all-reduce, where all ranks expect the same sums: the value that was last
  /// found to be the expected one. Most ranks have the same values.
  std::vector<ValueId> lastSum;
  /// By entry of the table: one plus the index of the expected sum that its first value was last
  /// found to equal.
  std::vector<uint32_t> sumOf;
  /// By rank: the number of the last expansion that visited the rank.
  std::vector<uint64_t> met;
  uint64_t expansion = 0;
};

} // namespace cclc

#endif // CCL_SEMANTICS_POSTCONDITION_H
