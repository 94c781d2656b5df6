//===- PostCondition.h - Does a cell hold what it must ----------*- C++ -*-===//

#ifndef CCL_SEMANTICS_POSTCONDITION_H
#define CCL_SEMANTICS_POSTCONDITION_H

#include "cclc/Semantics/Values.h"

#include <algorithm>
#include <optional>

namespace cclc {

/// Compares symbolic values with the expectations of a collective, counting
/// every contribution. Exact: no hashing. A value is expanded once for each
/// different expectation in a row, so that checking the R equal copies of an
/// all-reduce's result costs one expansion.
class PostCondition {
public:
  PostCondition(const Collective &collective, const ValueTable &values);

  /// Whether \p value is what output cell \p index of \p rank must hold.
  bool holds(RankId rank, uint32_t index, ValueId value);

  /// The same for the cells from \p index on that hold \p run: calls fn(index, count, holds)
  /// for parts of it.
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

  /// What is wrong with a value that does not hold: "expected ..., but ...".
  std::string explain(RankId rank, uint32_t index, ValueId value) const;

private:
  bool isSumOverAllRanks(ValueId value, uint32_t index);
  /// For how many cells from \p index on, which hold \p value and its successors, the
  /// answer is the same.
  uint32_t alike(RankId rank, uint32_t index, ValueId value) const;
  std::vector<Contribution> wanted(const Expectation &expectation) const;

  const Collective &collective;
  const ValueTable &values;
  /// By entry of the table: the index whose sum its first value was last found to be, plus one.
  std::vector<uint32_t> sumOf;
  /// By rank: the expansion in which the rank was last met.
  std::vector<uint64_t> met;
  uint64_t expansion = 0;
};

} // namespace cclc

#endif // CCL_SEMANTICS_POSTCONDITION_H
