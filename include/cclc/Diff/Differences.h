//===- Differences.h - A comparison in words --------------------*- C++ -*-===//
//
// What every writer writes: the entries of a PlanDiff one after the other, each with what it is
// about, what it was and what it is. They are made one at a time, because plans that have nothing
// in common have millions of them.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DIFF_DIFFERENCES_H
#define CCL_DIFF_DIFFERENCES_H

#include "cclc/Diff/PlanDiff.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc::diff {

enum class Aspect : uint8_t {
  Attribute,
  Proof,
  Limit,
  StepKinds,
  Transfer,
  Reduction,
  Connection,
  Threadblock,
  Step,
  Dependence,
  Order,
  Numbering,
};
inline constexpr unsigned numAspects = 12;
/// "attribute", "proof", "limit", "step_kinds", "transfer", ...
StringRef aspectName(Aspect aspect);

struct Difference {
  Aspect aspect;
  std::optional<RankId> rank;
  /// Without the rank: "protocol", "tb1 step 3 (rrc)", "o[3]".
  std::string subject;
  /// What of it, where that is not all: "dst", "wait", "publishes".
  std::string field;
  std::string before, after; ///< empty: not there
  /// Of the step in the new plan; of one that is gone where its line is now, or was.
  Location location;
};

/// "rcs -> o[3]", "rrc i[2] -> o[2]", "nop".
std::string stepText(const Step &step);

/// In the order of the aspects; numbering only if \p strict.
void forEachDifference(const PlanDiff &diff, bool strict,
                       llvm::function_ref<void(const Difference &)> visit);

/// What the differences come to: "same transfers, same reductions; order and dependences differ".
std::string verdict(const PlanDiff &diff, bool strict);

} // namespace cclc::diff

#endif // CCL_DIFF_DIFFERENCES_H
