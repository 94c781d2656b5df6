//===- PlanTimes.h - Two plans on the same machines -------------*- C++ -*-===//

#ifndef CCL_DIFF_PLANTIMES_H
#define CCL_DIFF_PLANTIMES_H

#include "cclc/Diff/DiffResult.h"
#include "cclc/Support/ExitCode.h"
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
/// Returns Wrong if a plan is not proved, if the new one exceeds a limit of a target, or if a size
/// is not safe there.
ExitCode addTimes(const TimesRequest &request, DiffResult &result, DiagnosticEngine &diags);

} // namespace cclc::diff

#endif // CCL_DIFF_PLANTIMES_H
