//===- RolledForm.h - The symmetry of a plan of all ranks -------*- C++ -*-===//
//
// Finds whether the ranks of a plan execute the same threadblocks with other numbers, so that what
// is proved or simulated of few ranks holds for all.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SYMMETRY_ROLLED_ROLLEDFORM_H
#define CCL_SYMMETRY_ROLLED_ROLLEDFORM_H

#include "cclc/Symmetry/Rolled/RolledPlan.h"

namespace cclc {

/// A rolled plan, and which of its threadblocks those of a plan of all ranks are.
struct RolledForm {
  RolledPlan plan;
  /// By threadblock of the plan of all ranks.
  std::vector<uint32_t> threadblocks;
};

/// The form of unroll(\p plan).
RolledForm formOfUnrolled(const RolledPlan &plan);

/// The form of \p plan under the rotations of all ranks, or of those of the levels of its geometry,
/// if it is what these make of rank 0, except for locations.
std::optional<RolledForm> findRolledForm(const ExecPlan &plan);

} // namespace cclc

#endif // CCL_SYMMETRY_ROLLED_ROLLEDFORM_H
