//===- RolledRun.h - A folded plan on relative values -----------*- C++ -*-===//

#ifndef CCL_LIB_SYMMETRY_ROLLED_ROLLEDRUN_H
#define CCL_LIB_SYMMETRY_ROLLED_ROLLEDRUN_H

#include "RelativeValue.h"

#include "cclc/Proof/PlanControlFlow.h"
#include "cclc/Symmetry/Rolled/RolledPlan.h"

#include <deque>

namespace cclc {

/// Executes the folded plan of a rolled plan under one placement. The plan completes, without
/// races.
class RolledRun {
public:
  RolledRun(const RolledPlan &rolled, const ExecPlan &folded, const ConnectionTable &connections,
            PlanControlFlow &runner, Placement placement);

  /// Reports a write to a read-only input, or the first output chunk of rank 0 that the
  /// post-condition does not allow.
  LogicalResult checkPostCondition(DiagnosticEngine &diags) const;

private:
  void execute(uint32_t threadblock, StepId id);
  uint64_t cell(uint32_t threadblock, Operand operand) const {
    return cells.cell(folded.threadblocks()[threadblock].rank, operand);
  }

  const RolledPlan &rolled;
  const RotationGroup &group;
  const ExecPlan &folded;
  const ConnectionTable &connections;
  CellSpace cells;
  std::vector<RelativeValue> memory;               ///< by cell
  std::vector<std::deque<RelativeValue>> messages; ///< by connection
  std::optional<StepId> inputWriter;               ///< writes the input, which is read-only
};

} // namespace cclc

#endif // CCL_LIB_SYMMETRY_ROLLED_ROLLEDRUN_H
