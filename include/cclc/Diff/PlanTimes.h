//===- PlanTimes.h - Two plans on the same machines -------------*- C++ -*-===//

#ifndef CCL_DIFF_PLANTIMES_H
#define CCL_DIFF_PLANTIMES_H

#include "cclc/Diff/DiffResult.h"
#include "cclc/Target/Loader.h"

#include <functional>

namespace cclc::diff {

struct TimesRequest {
  std::vector<TargetRequest> targets;
  std::optional<Slots> slots;         ///< unset: those of the target
  std::optional<std::string> network; ///< unset: that of the target
  std::vector<uint64_t> sizes;
  std::function<void(StringRef)> onStage;
};

/// Adds the times of both plans on every target, of every type of \p result and of every size.
/// A failure is of the kind Wrong if a plan is not proved or a size is not safe on a target, and
/// Unfit if the new plan exceeds a limit of one.
LogicalResult addTimes(const TimesRequest &request, DiffResult &result, DiagnosticEngine &diags);

} // namespace cclc::diff

#endif // CCL_DIFF_PLANTIMES_H
