//===- SummedRanks.h - The ranks whose contributions a sum has --*- C++ -*-===//
//
// The sums of most reductions are over all contributions with one index of a few intervals of
// ranks. Then the contributions of a sum are those of its operands, and no expression is expanded:
// the time is that of the entries of the table, not of the leaves of all expressions.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_SUMMEDRANKS_H
#define CCL_PROOF_SUMMEDRANKS_H

#include "cclc/Proof/Values.h"

#include <array>

namespace cclc {

class SummedRanks {
public:
  explicit SummedRanks(const ValueTable &values) : values(values) {}

  /// Whether \p sum adds each contribution (q, \p index) once, where q is every rank below \p
  /// ranks, and nothing else. None if its ranks, or those of an operand, are more than two
  /// intervals or not disjoint.
  std::optional<bool> addsAll(ValueId sum, uint32_t index, uint32_t ranks);

private:
  /// The ranks from `first` to `end` - 1.
  struct Interval {
    uint32_t first, end;
  };
  /// Contributions of disjoint intervals of ranks, which have the same index.
  struct Contributions {
    uint32_t index = 0;
    uint32_t count = 0; ///< of intervals, ascending and not adjacent; 0 if they are not known
    std::array<Interval, 2> intervals;
  };
  /// Those of \p v, if the following \p length - 1 values have those with the following indices.
  Contributions of(ValueId v, uint32_t length) const;
  static Contributions sum(const Contributions &lhs, const Contributions &rhs);

  const ValueTable &values;
  std::vector<Contributions> ofEntry; ///< those of its first sum, for the first entries
};

} // namespace cclc

#endif // CCL_PROOF_SUMMEDRANKS_H
