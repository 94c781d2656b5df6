//===- MscclppCommand.h - Plans of MSCCL++ in the tools ---------*- C++ -*-===//

#ifndef CCL_LIB_DRIVER_MSCCLPPCOMMAND_H
#define CCL_LIB_DRIVER_MSCCLPPCOMMAND_H

#include "cclc/Driver/ToolMain.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/Mscclpp/Plan.h"
#include "cclc/Semantics/PlanVerifier.h"

#include <variant>

namespace cclc {

/// \p plan in the form of MSCCL++, within the limits of its executor and proved if
/// \p prove says so. Else what is wrong was reported, and the code tells a plan that
/// the form cannot express from a defect of ours.
std::variant<mscclpp::Plan, ExitCode> lowerToMscclpp(const ExecPlan &plan, bool prove,
                                                     DiagnosticEngine &diags);

/// Reads a file that looks like a plan of MSCCL++, checks its limits and proves it.
PlanReport verifyMscclpp(StringRef text, StringRef fileName, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_DRIVER_MSCCLPPCOMMAND_H
