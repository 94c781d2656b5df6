//===- MinimizeCommand.h - ccl-opt --minimize -------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_OPT_MINIMIZECOMMAND_H
#define CCL_TOOLS_CCL_OPT_MINIMIZECOMMAND_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Support/ExitCode.h"

#include <variant>

namespace cclc {

struct ReduceRequest {
  /// That a deadlock is sought with; unset: those that the plan was scheduled for.
  std::optional<Slots> slots;
  /// A command that is called with the name of a file with a plan and succeeds if this is
  /// interesting; unset: that the plan fails in the same way as the whole one.
  std::optional<std::string> test;
};

/// The smallest part of \p plan that fails like the whole, and a line for people about it on
/// stderr; or the code to end with: a plan that does not fail is nothing to cut down.
std::variant<ExecPlan, ExitCode>
reduceFailingPlan(const ExecPlan &plan, const ReduceRequest &request, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_OPT_MINIMIZECOMMAND_H
