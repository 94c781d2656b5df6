//===- Conflicts.h - Unordered operations of a plan -------------*- C++ -*-===//

#ifndef CCL_MSCCLPP_PROOF_CONFLICTS_H
#define CCL_MSCCLPP_PROOF_CONFLICTS_H

#include "cclc/Mscclpp/Plan.h"

#include <set>

namespace cclc::mscclpp {

/// Two conflicting accesses that nothing orders, in the order of execution.
struct Conflict {
  /// An access by an operation, or by the caller of a rank after the launch.
  struct Side {
    RankId rank;
    OptionalId<PlanOpId> op = {};
    friend auto operator<=>(const Side &, const Side &) = default;
  };
  Side earlier, later;
  /// Whether the later access is in the same launch; an access by a caller is in that before it.
  bool sameLaunch = true;
  friend auto operator<=>(const Conflict &, const Conflict &) = default;
};

struct Conflicts {
  std::set<Conflict> all;
  /// Whether the plan has a defect that is none of these, such as equal packets.
  bool others = false;
};

/// Finds all conflicts of a plan without pipelines and shares whose waits are satisfied in
/// \p order, which has all operations of a launch.
Conflicts findConflicts(const Plan &plan, ArrayRef<PlanOpId> order);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_PROOF_CONFLICTS_H
