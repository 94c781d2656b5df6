//===- Differences.h - The differences of two plans as texts ----*- C++ -*-===//
//
// The common input of all writers: the entries of a PlanDiff in sequence, each with its subject,
// its old value and its new value. They are generated one at a time, because unrelated plans have
// millions of differences.
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
  /// The subject without its rank: "protocol", "tb1 step 3 (rrc)", "o[3]".
  std::string subject;
  /// The part of the subject that differs, if not all of it: "dst", "wait", "publishes".
  std::string field;
  std::string before, after; ///< empty if missing
  /// The location of the step in the new plan; for a reduction, that of its last step. For a
  /// removed step, that of its source line in the new plan, if it still exists, else in the old
  /// plan.
  Location location;
};

/// "rcs -> o[3]", "rrc i[2] -> o[2]", "nop".
std::string stepText(const Step &step);

/// Calls \p visit for each difference, in the order of the aspects. Numbering is included only if
/// \p strict.
void forEachDifference(const PlanDiff &diff, bool strict,
                       llvm::function_ref<void(const Difference &)> visit);

/// A summary of the differences: "same transfers, same reductions; order and dependences differ".
std::string verdict(const PlanDiff &diff, bool strict);

} // namespace cclc::diff

#endif // CCL_DIFF_DIFFERENCES_H
