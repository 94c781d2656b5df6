//===- PlanFailure.h - Identifying a failure --------------------*- C++ -*-===//
//
// A part of a plan almost always fails in some way, because removing a message makes a result
// wrong. A failure is therefore identified by its properties:
//   deadlock      a cyclic wait with the same number of slots
//   race          the two steps with unordered accesses to a cell
//   wrong result  the first wrong cell and the expression that it holds, or the step
//                 that writes the input
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_MINIMIZE_PLANFAILURE_H
#define CCL_PROOF_MINIMIZE_PLANFAILURE_H

#include "cclc/Proof/Minimize/PlanMinimizer.h"
#include "cclc/Proof/PlanVerifier.h"

namespace cclc {

class PlanFailure {
public:
  /// The failure of \p plan, which is reported to \p diags; none if the plan is correct.
  static std::optional<PlanFailure> find(const ExecPlan &plan, Slots slots,
                                         DiagnosticEngine &diags);

  bool isIn(const MinimizedPlan &part) const;
  Verdict verdict() const { return theVerdict; }

private:
  PlanFailure(Slots slots, Verdict verdict) : slots(slots), theVerdict(verdict) {}

  /// A wrong value and its cell.
  struct WrongCell {
    Placement placement;
    RankId rank = RankId(0);
    uint32_t index;
    std::string value;
  };
  static std::optional<WrongCell> findWrongCell(const ExecPlan &plan);
  static std::optional<std::pair<StepId, StepId>> findRacingSteps(const ExecPlan &plan);

  Slots slots;
  Verdict theVerdict;
  std::pair<StepId, StepId> racing = {StepId(0), StepId(0)};
  std::optional<WrongCell> wrong;
  std::optional<uint32_t> inputWriter; ///< step
};

} // namespace cclc

#endif // CCL_PROOF_MINIMIZE_PLANFAILURE_H
