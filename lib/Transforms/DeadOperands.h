//===- DeadOperands.h - Dead operands of steps ------------------*- C++ -*-===//
//
// An rrs reads its local operand and leaves it as it is. Where the threadblock of the step
// is the only one that ever touches those cells, and overwrites them next or, being
// scratch, not at all, the sum may as well be formed in them.
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
