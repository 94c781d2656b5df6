//===- DeadOperands.h - Dead operands of steps ------------------*- C++ -*-===//
//
// An rrs reads its local operand without changing it. The operand is dead if only the threadblock
// of the step accesses its cells, and the next access overwrites them or, for scratch, there is
// none. The sum may then be computed in these cells.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_TRANSFORMS_DEADOPERANDS_H
#define CCL_LIB_TRANSFORMS_DEADOPERANDS_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

class DeadOperands {
public:
  /// \p spaces are those of the plan's placements.
  DeadOperands(const ExecPlan &plan, ArrayRef<CellSpace> spaces);
  /// Whether the rrs with this number may write its source.
  bool operator[](uint32_t step) const { return dead[step]; }

private:
  std::vector<bool> dead; ///< by step
};

} // namespace cclc

#endif // CCL_LIB_TRANSFORMS_DEADOPERANDS_H
