//===- Culprit.h - The contribution that makes a value wrong ----*- C++ -*-===//
//
// A value is wrong if it contains a contribution that it must not contain, or one twice. The
// culprit is the first such contribution, with its path through the sums of the value: the sum that
// brought it together with what belongs there is usually far from the cell that shows the error,
// and so is the step that read it from the input.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_CULPRIT_H
#define CCL_PROOF_CULPRIT_H

#include "cclc/Proof/Values.h"

namespace cclc {

struct Culprit {
  Contribution chunk;
  bool repeated; ///< whether the value may contain it once
  /// From the wrong value to the contribution; each value is an operand of the one before it. Of a
  /// repeated contribution it is the one in the right operand of `sum`.
  std::vector<ValueId> path;
  /// The sum of the path that added the contribution to a value without it; none if nothing else
  /// belongs to the value.
  OptionalId<ValueId> sum;

  /// Whether the value after path[\p at], which is a sum, is its right operand.
  bool isRight(const ValueTable &values, size_t at) const {
    return values.rhs(path[at]) == path[at + 1];
  }
  std::string text() const; ///< "r0:i[1]"
  /// "added r0:i[1]", "added r0:i[1] a second time".
  std::string addedText() const;
  /// "r0:i[1] was added here", "r0:i[1] was added here a second time".
  std::string addedHereText() const;
};

/// The path of \p chunk in \p wrong, which contains it, or contains it more than once if
/// \p repeated. \p wanted are the contributions that the value is to have, in ascending order.
Culprit findCulprit(const ValueTable &values, ValueId wrong, Contribution chunk, bool repeated,
                    ArrayRef<Contribution> wanted);

} // namespace cclc

#endif // CCL_PROOF_CULPRIT_H
