//===- WhyCommand.h - ccl-sim --why -----------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_WHYCOMMAND_H
#define CCL_TOOLS_CCL_SIM_WHYCOMMAND_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Tools/Cli/ExitCode.h"

namespace cclc {

struct WhyRequest {
  const ExecPlan &plan;
  std::string cell; ///< in the notation of --why
  Slots slots;
  std::optional<std::string> json; ///< path of the JSON file
  bool print;                      ///< whether to print text on standard output
};

/// Shows the provenance of a cell under every placement of the plan, and verifies the plan.
ExitCode runWhy(const WhyRequest &request, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_WHYCOMMAND_H
