//===- PostCondition.h - Does a cell hold what it must ----------*- C++ -*-===//

#ifndef CCL_SEMANTICS_POSTCONDITION_H
#define CCL_SEMANTICS_POSTCONDITION_H

#include "cclc/Semantics/Values.h"

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

  /// What is wrong with a value that does not hold: "expected ..., but ...".
  std::string explain(RankId rank, uint32_t index, ValueId value) const;

private:
  bool isSumOverAllRanks(ValueId value, uint32_t index);
  std::vector<Contribution> wanted(const Expectation &expectation) const;

  const Collective &collective;
  const ValueTable &values;
  /// By value: the index whose sum it was last found to be, plus one.
  std::vector<uint32_t> sumOf;
  /// By rank: the expansion in which the rank was last met.
  std::vector<uint64_t> met;
  uint64_t expansion = 0;
};

} // namespace cclc

#endif // CCL_SEMANTICS_POSTCONDITION_H
