//===- MinimizeCommand.h - ccl-opt --minimize -------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_OPT_MINIMIZECOMMAND_H
#define CCL_TOOLS_CCL_OPT_MINIMIZECOMMAND_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Tools/Cli/ExitCode.h"

#include <functional>
#include <variant>

namespace cclc {

struct MinimizeRequest {
  /// The number of slots for deadlocks; unset: that of the plan.
  std::optional<Slots> slots;
  /// A command that is called with a plan file and exits with 0 if the plan is interesting; unset:
  /// plans with the same failure as the whole plan are interesting.
  std::optional<std::string> test;
  /// Called with every smaller plan that is found.
  std::function<void(const ExecPlan &)> onSmaller;
};

/// Returns the smallest part of \p plan with the same failure and prints a summary to stderr, or
/// returns an exit code if the plan does not fail.
std::variant<ExecPlan, ExitCode>
minimizeFailingPlan(const ExecPlan &plan, const MinimizeRequest &request, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_OPT_MINIMIZECOMMAND_H
