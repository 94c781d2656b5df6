//===- BoundTable.h - The bounds of a collective by size --------*- C++ -*-===//
//
// The work of ccl-bound between its command line and its output: the lower bounds of a collective
// on the ranks of a machine, or those of a plan's collective with the times of the plan.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_BOUNDTABLE_H
#define CCL_TOOLS_BOUNDTABLE_H

#include "cclc/Formats/PlanFile.h"
#include "cclc/Sim/Data/DataType.h"
#include "cclc/Support/Deadline.h"
#include "cclc/Target/RankSelection.h"
#include "cclc/Views/Report/Bounds.h"

#include <functional>

namespace cclc {

struct BoundTableRequest {
  /// A target without a name is that of the plan.
  RankRequest ranks;
  CollectiveKind collective = CollectiveKind::AllReduce;
  uint32_t root = 0;
  /// Null, or a plan of the collective, whose endpoints and root then apply. The executor of a plan
  /// of MSCCL++ is limited by links alone.
  const ExecutablePlan *plan = nullptr;
  DataType type = DataType::F32;      ///< of the simulation of the plan
  std::optional<std::string> network; ///< unset: that of the target
  std::vector<uint64_t> sizes;
  Deadline deadline = {}; ///< of the bounds
  std::function<void(StringRef)> onStage;
};

/// Reports a root that is none of \p ranks ranks.
LogicalResult checkRoot(uint32_t root, uint32_t ranks, DiagnosticEngine &diags);

/// Null on an error. It is of the kind Wrong if there is no path between two ranks, if the plan is
/// wrong, or if one of the sizes is not safe.
std::unique_ptr<const BoundTable> boundSizes(const BoundTableRequest &request,
                                             DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_BOUNDTABLE_H
